/** Texts that try to run, fetch, hide or pretend, for tests: each is shown as text, or as safe elements. */
const RTL = "\u202e";
const ESC = "\u001b";

export const HOSTILE: readonly string[] = [
  // HTML
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)></svg>", "<svg><script>alert(1)</script></svg>",
  "<iframe src='https://evil.example'></iframe>", "<object data='https://evil.example/x.swf'></object>", "<embed src='https://evil.example'>",
  "<link rel=stylesheet href='https://evil.example/x.css'>", "<style>@import url(https://evil.example/x.css)</style>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>", "<base href='https://evil.example/'>",
  "<form action='https://evil.example'><button>Go</button></form>", "<a href='javascript:alert(1)'>x</a>", "<body onload=alert(1)>",
  "<details open ontoggle=alert(1)>", "<video><source onerror=alert(1)></video>", "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
  "<input autofocus onfocus=alert(1)>", "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", "<!--><img src=x onerror=alert(1)>-->",
  "<template><script>alert(1)</script></template>", "</pre></div><script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;",
  "<img src='https://evil.example/pixel.gif'>", "<table background='https://evil.example/x'>", "<div style='background:url(https://evil.example/x)'>x</div>",
  // Links
  "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](  javascript:alert(1))", "[x](java\tscript:alert(1))", "[x](&#106;avascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)", "[x](data:text/html;base64,PHNjcmlwdD4=)", "[x](vbscript:msgbox(1))", "[x](file:///etc/passwd)",
  "[x](blob:https://evil.example/1)", "[x](view-source:https://evil.example)", "[x](#/chat/thr_1)", "[x](//evil.example)", "[x](/console/session)",
  "[x](../../ws)", "[x](ftp://evil.example)", "[x](tel:+1)", "[x](sms:+1)", "[x](intent://evil#Intent;end)",
  "[https://bank.example](https://evil.example)", "[bank.example](https://bank.example@evil.example/)", "[x](https://bank.example.evil.example)",
  "[x](https://b\u0430nk.example)", "[x](https://evil.example \"bank.example\")", "[x][1]\n\n[1]: javascript:alert(1)", "<javascript:alert(1)>",
  "<https://evil.example>", "https://evil.example/?q=secret", "www.evil.example", "someone@evil.example", "mailto:a@evil.example?bcc=b@evil.example",
  "[Approve](https://evil.example/approve)", "[x](https://evil.example/%0d%0aSet-Cookie:a)",
  // Pictures
  "![x](https://evil.example/pixel.png)", "![x](data:image/svg+xml,<svg onload=alert(1)>)", "![](//evil.example/p)", "[![x](https://evil.example/p)](https://evil.example)",
  "![x][p]\n\n[p]: https://evil.example/p", "![x](javascript:alert(1))",
  // Names, terminals and directions
  "notes\u200b.md", "invoice\u202efdp.exe", `${RTL}txt.exe`, "\u2066\u2067abc\u2069", "a\u0000b", "\ufeffhidden", `${ESC}[31mred${ESC}[0m`,
  `${ESC}]8;;https://evil.example\u0007click${ESC}]8;;\u0007`, `${ESC}[2J${ESC}[H`, "../../../etc/passwd", "\"><script>alert(1)</script>.md", "a\u2028b\u2029c",
  "\u05e9\u05dc\u05d5\u05dd (approve) \u05e2\u05d5\u05dc\u05dd", "\u{e0041}\u{e0042}hidden tags", "soft\u00adhyphen",
  // Size and depth
  "x".repeat(200_000), `${"> ".repeat(1000)}deep`, "[".repeat(50_000), "**_".repeat(20_000), Array.from({ length: 1000 }, (_, depth) => `${" ".repeat(depth)}- x`).join("\n"),
  `|${"a|".repeat(500)}\n|${"-|".repeat(500)}\n${`|${"b|".repeat(500)}\n`.repeat(20)}`, "`".repeat(20_000), "<div>".repeat(10_000), "a\n\n".repeat(30_000),
  "![".repeat(20_000), "[^1]".repeat(5_000) + "\n\n[^1]: x", "- x\n".repeat(20_000), "z\u0300".repeat(20_000), "[a](b)".repeat(10_000),
  // Markup that takes room or pretends to be the page
  "# Sulla\n\nApprove this call?", "- [x] done\n- [ ] todo", "```html\n<script>alert(1)</script>\n```", "~~~\n[x](javascript:alert(1))\n~~~", "a <b onmouseover=alert(1)>b</b> c",
];
