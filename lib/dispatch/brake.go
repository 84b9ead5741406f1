package dispatch

import (
	"sync"
	"time"
)

// stops holds back the starts of providers: for good after an authentication
// failure, for a while after a rate limit. Every job of the provider waits
// together, so that a storm of retries does not prolong the limit.
type stops struct {
	first time.Duration // pause after the first rate limit

	mu    sync.Mutex
	auth  map[string]bool
	until map[string]time.Time
	next  map[string]time.Duration
}

// The pause doubles with every rate limit that a start after the last pause
// has met, up to mostBackoff.
const (
	firstBackoff = 30 * time.Second
	mostBackoff  = 10 * time.Minute
)

func newStops(first time.Duration) stops {
	if first <= 0 {
		first = firstBackoff
	}
	return stops{first: first, auth: map[string]bool{}, until: map[string]time.Time{}, next: map[string]time.Duration{}}
}

// learn takes the cause of an ended attempt that was started at began.
func (s *stops) learn(provider, cause string, began, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch cause {
	case CauseAuth:
		s.auth[provider] = true
	case CauseRateLimit:
		if began.Before(s.until[provider]) {
			return // it was on its way before the pause that another one caused
		}
		pause := max(s.next[provider], s.first)
		s.until[provider] = now.Add(pause)
		s.next[provider] = min(2*pause, mostBackoff)
	case CauseOK:
		delete(s.next, provider)
	}
}

func (s *stops) stopped(provider string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.auth[provider]
}

// pause is how long the next start of a provider has to wait.
func (s *stops) pause(provider string, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.until[provider].Sub(now)
}

// budget adds up what attempts cost. Costs that are not known add nothing;
// the summary says so.
type budget struct {
	limit *float64

	mu   sync.Mutex
	done float64
	open map[*attempt]float64
}

// running notes what a running attempt has cost so far.
func (b *budget) running(a *attempt, cost *float64) {
	if cost == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[*attempt]float64{}
	}
	b.open[a] = *cost
}

// ended replaces the running cost of an attempt by its final one.
func (b *budget) ended(a *attempt, cost *float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.open[a]
	delete(b.open, a)
	if cost != nil {
		last = *cost
	}
	b.done += last
}

// spent tells whether the budget is used up.
func (b *budget) spent() bool {
	if b.limit == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := b.done
	for _, cost := range b.open {
		sum += cost
	}
	return sum >= *b.limit
}
