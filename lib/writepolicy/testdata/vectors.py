"""Writes policies.jsonl: random write policies and their digests.

Run once, with Python 3: python3 vectors.py > policies.jsonl
The digests come from the canonical form of Python's json module, so that they
are independent of the code under test.
"""
import hashlib
import json
import random

rng = random.Random(20260908)
SPECIAL = ['<', '>', '&', '"', '\\', '\b', '\f', '\n', '\r', '\t', '\x01', '\x1f', '\x7f', '/', ' ', '.', '`',
           '\u2028', '\u2029', '\u00e9', '한', '글', '작업', '\ufb01', '\ue000', '\U0001f600', '\U00010000', '\uffff', 'é']


def text(low=1, high=9):
    return ''.join(rng.choice(SPECIAL + list('abcXYZ019-_')) for _ in range(rng.randint(low, high)))


def relative(n):
    seen = []
    while len(seen) < n:
        path = '/'.join(text().replace('/', 'x') for _ in range(rng.randint(1, 4)))
        if not any(part in ('.', '..') for part in path.split('/')) and path not in seen:
            seen.append(path)
    return seen


def roots(n):
    return ['/' + '/'.join(text() for _ in range(rng.randint(0, 3))) for _ in range(n)]


def value(depth=0):
    kind = rng.randrange(8 if depth < 3 else 6)
    if kind < 3:
        return text(0)
    if kind == 3:
        return rng.choice([0, -1, 7, 2**53 + 1, -(2**70), 10**30])
    if kind == 4:
        return rng.choice([True, False])
    if kind == 5:
        return None
    if kind == 6:
        return [value(depth + 1) for _ in range(rng.randint(0, 3))]
    return {text(0): value(depth + 1) for _ in range(rng.randint(0, 4))}


def policy():
    git = {'mode': 'disabled'}
    if rng.random() < 0.6:
        git = {'mode': 'fast-forward-descendant-chain', 'worktreeGitDir': value(), 'gitCommonDir': value(),
               'expectedBaseCommit': value(), 'allowedBranchRef': value(), 'commitMode': value()}
    sections = {
        'artifactPolicy': {'allowedRoot': roots(1)[0], 'allowedPaths': relative(rng.randint(0, 4))},
        'sourcePolicy': {'mode': rng.choice(['source-readonly', 'project-mutation']), 'allowedRoot': roots(1)[0],
                         'plannedPaths': relative(rng.randint(0, 4)), 'protectedPaths': relative(rng.randint(0, 2))},
        'gitPolicy': git,
        'auxiliaryPolicy': {'scratchRoots': roots(rng.randint(0, 2)), 'generatedPaths': relative(rng.randint(0, 2)),
                            'externalRoots': roots(rng.randint(0, 2))},
    }

    def shuffled(o):
        if isinstance(o, dict):
            items = list(o.items())
            rng.shuffle(items)
            return {k: shuffled(v) for k, v in items}
        return [shuffled(v) for v in o] if isinstance(o, list) else o
    return shuffled(sections)


for _ in range(300):
    payload = policy()
    canonical = json.dumps(payload, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode('utf-8')
    digest = 'sha256:' + hashlib.sha256(canonical).hexdigest()
    print(json.dumps({'digest': digest, 'payload': payload}, ensure_ascii=rng.random() < 0.5))
