package markup

import (
	"html"
	"strings"
	"testing"
)

func TestHostileProseInHTML(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain", "plain"},
		{"Use `fmt` & <b>.", "Use <code>fmt</code> &amp; &lt;b&gt;."},
		{"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"a <script>alert(1)</script> b", "a &lt;script&gt;alert(1)&lt;/script&gt; b"},
		{"[x](javascript:alert(1))", "x"},
		{"[x](JaVaScRiPt&colon;alert)", "x"},
		{"[x](data:text/html,y)", "x"},
		{"[x](//example.org)", "x"},
		{"<javascript:alert>", "javascript:alert"},
		{"[x](https://e.org/?a=b&c)", `<a rel="noopener noreferrer" href="https://e.org/?a=b&amp;c">x</a>`},
		{"![alt](https://e.org/a.png)", `<a rel="noopener noreferrer" href="https://e.org/a.png">alt</a>`},
		{"see https://e.org.", `see <a rel="noopener noreferrer" href="https://e.org">https://e.org</a>.`},
		{"<a@e.org>", `<a rel="noopener noreferrer" href="mailto:a@e.org">a@e.org</a>`},
		{"# big", "<strong>big</strong>"},
		{"- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"```sh\nrm -rf <x>\n```", "<pre><code class=\"language-sh\">rm -rf &lt;x&gt;\n</code></pre>"},
		{"\x1b[31mred\x1b[0m", "red"},
	} {
		if got := HTML(tt.in); got != tt.want {
			t.Errorf("HTML(%q)\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestProseFullOfMarksIsShownLetterByLetter(t *testing.T) {
	for _, unit := range []string{"*a_ ", "> ", "[a](b"} {
		s := strings.TrimSpace(strings.Repeat(unit, 50_000))
		if got := HTML(s); got != html.EscapeString(s) {
			t.Errorf("%q is shown as %.60q", unit, got)
		}
	}
}
