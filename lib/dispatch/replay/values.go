package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"okstra/lib/jsondoc"
)

// Values are what the placeholders of a recording stand for: "${resultPath}"
// and the like, and times around now: "${now}", "${now-1m30s}" in RFC 3339 and
// "${epochMs+200ms}", "${epochSeconds}" as numbers.
type Values struct {
	Names map[string]string
	Now   time.Time
}

// Expand fills a text in. An unknown placeholder is an error: a typing mistake
// must not end up in a file.
func (v Values) Expand(text string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("placeholder %q is not closed", "${"+rest)
		}
		value, err := v.lookup(name)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		text = after
	}
}

func (v Values) lookup(name string) (string, error) {
	if value, ok := v.Names[name]; ok {
		return value, nil
	}
	base, shift := name, time.Duration(0)
	if i := strings.IndexAny(name, "+-"); i > 0 {
		d, err := time.ParseDuration(name[i:])
		if err != nil {
			return "", fmt.Errorf("placeholder ${%s}: %q is no duration", name, name[i:])
		}
		base, shift = name[:i], d
	}
	at := v.Now.Add(shift)
	switch base {
	case "now":
		return at.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	case "epochMs":
		return strconv.FormatInt(at.UnixMilli(), 10), nil
	case "epochSeconds":
		return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64), nil
	}
	return "", fmt.Errorf("unknown placeholder ${%s}", name)
}

// JSON fills in the texts of a JSON value and gives it on one line, its keys
// in their order. A text that is nothing but an epoch placeholder becomes a
// number.
func (v Values) JSON(raw json.RawMessage) ([]byte, error) {
	var out bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := v.value(dec, &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// value copies the next value, filled in. Going through the tokens keeps the
// order of the keys, which a map would not.
func (v Values) value(dec *json.Decoder, out *bytes.Buffer) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		out.WriteRune(rune(t))
		for first := true; dec.More(); first = false {
			if !first {
				out.WriteByte(',')
			}
			if t == '{' {
				if err := v.value(dec, out); err != nil {
					return err
				}
				out.WriteByte(':')
			}
			if err := v.value(dec, out); err != nil {
				return err
			}
		}
		end, err := dec.Token()
		if err != nil {
			return err
		}
		out.WriteRune(rune(end.(json.Delim)))
		return nil
	case string:
		return v.text(t, out)
	case json.Number:
		out.WriteString(t.String())
		return nil
	}
	raw, err := json.Marshal(token)
	out.Write(raw)
	return err
}

func (v Values) text(t string, out *bytes.Buffer) error {
	filled, err := v.Expand(t)
	if err != nil {
		return err
	}
	if strings.HasPrefix(t, "${epoch") && strings.Count(t, "$") == 1 && strings.HasSuffix(t, "}") {
		out.WriteString(filled)
		return nil
	}
	line, err := jsondoc.MarshalLine(filled)
	out.Write(bytes.TrimSuffix(line, []byte{'\n'}))
	return err
}
