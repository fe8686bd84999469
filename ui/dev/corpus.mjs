// Hostile text: everything an agent may write to make the page run script, ask another host, or lie. Each tries to call
// `hit` or to reach canary.invalid; a test watches for both.
export const canary = "canary.invalid";

export const payloads = [
  "<script>window.hit('script')</script>",
  "<img src=x onerror=\"window.hit('onerror')\">",
  "<svg onload=\"window.hit('svg')\"><script>window.hit('svg script')</script></svg>",
  "<svg><animate onbegin=\"window.hit('animate')\" attributeName=x dur=1s></svg>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=window.hit('mxss')&gt;\">",
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=window.hit('mxss2')>",
  "<noscript><p title=\"</noscript><img src=x onerror=window.hit('noscript')>\">",
  "<iframe srcdoc=\"<script>parent.hit('iframe')</script>\"></iframe>",
  "<iframe src=\"javascript:parent.hit('iframe js')\"></iframe>",
  "<object data=\"data:text/html,<script>parent.hit('object')</script>\"></object>",
  "<embed src=\"javascript:window.hit('embed')\">",
  "<a href=\"javascript:window.hit('a')\" id=clickme>click me</a>",
  "<a href=\"  jAvAsCrIpT\t:window.hit('a2')\">click me</a>",
  '<a href="data:text/html,<script>hit()</script>">click me</a>',
  "<details open ontoggle=\"window.hit('toggle')\">x</details>",
  "<input autofocus onfocus=\"window.hit('focus')\">",
  "<video><source onerror=\"window.hit('source')\"></video>",
  "<style>@import 'http://canary.invalid/style.css'; body { display: none }</style>",
  '<div style="background:url(http://canary.invalid/bg.png)">styled</div>',
  "<link rel=stylesheet href=http://canary.invalid/l.css><link rel=dns-prefetch href=//canary.invalid>",
  '<base href="http://canary.invalid/">',
  '<meta http-equiv=refresh content="0;url=http://canary.invalid/">',
  "<form id=app action=http://canary.invalid/><input name=attributes><button>Send</button></form>",
  "<img name=body src=http://canary.invalid/clobber.png>",
  "<template><script>window.hit('template')</script></template>",
  "<audio src=http://canary.invalid/a.mp3 autoplay>",
];

export const markdown = [
  "![remote](http://canary.invalid/image.png)",
  "[link](javascript:window.hit('md'))",
  "[link](vbscript:window.hit('md'))",
  "[link](<javascript:window.hit('md2')>)",
  "[ref]\n\n[ref]: javascript:window.hit('ref)",
  "<javascript:window.hit('auto')>",
  "[homograph](http://аpple.com.canary.invalid/)",
  "[\u202emoc.elgoog](http://canary.invalid/)",
  "$\\href{javascript:window.hit('tex')}{x}$ $\\url{javascript:window.hit('tex2')}$",
  "$\\includegraphics{http://canary.invalid/tex.png}$ $\\htmlStyle{background:url(http://canary.invalid/t)}{x}$",
  "$\\text{<img src=x onerror=window.hit('tex3')>}$ $\\fcolorbox{red}{url(http://canary.invalid/f)}{x}$",
  "$$\\def\\a{\\a\\a}\\a$$ $\\rule{9999em}{9999em}$ $\\htmlData{path=/etc/passwd}{x}$",
  "```math\n</div><img src=x onerror=window.hit('math fence')>\n```",
  "> [!NOTE]\n> <img src=x onerror=window.hit('alert')>",
  "> [!<img src=x onerror=window.hit('alert kind')>]",
  "note[^<img/src=x/onerror=window.hit('label')>]\n\n[^<img/src=x/onerror=window.hit('label')>]: <svg onload=window.hit('note')>",
  "[file](src/<img src=x onerror=window.hit('path')>.ts#L3)",
  '[file](<src/" onclick="window.hit(\'path2\')" x.ts>)',
  "[file](file:///etc/passwd%22%20onclick=window.hit('path3'))",
  "`src/\u202ets.exe/a.ts:1`",
  "```html\n<script>window.hit('code')</script>\n```",
  "`<img src=x onerror=window.hit('inline')>`",
  "| <img src=x onerror=window.hit('cell')> | b |\n|---|---|\n| <svg onload=window.hit('cell2')> | d |",
  "- [ ] <img src=x onerror=window.hit('task')>",
];

export const ansi =
  "\u001b]8;;javascript:window.hit('osc8')\u0007link\u001b]8;;\u0007 \u001b]52;c;ZXZpbA==\u0007 \u001b[31m<img src=x onerror=window.hit('ansi')>\u001b[0m \u001b]0;title\u0007 \u009b31mC1\u001b[2J\u001b[?1049h end";
/** Through a terminal: what tries to reach the page, the clipboard, the window, a file or the shell's keyboard. */
export const terminal = [
  ansi,
  ...payloads,
  "\u001b]0;<img src=x onerror=window.hit('title')>\u0007\u001b]2;\u202eevil\u0007\u001b[21t",
  "\u001b]52;c;ZXZpbA==\u001b\\\u001b]52;p;?\u0007",
  "\u001b]8;;javascript:window.hit('osc8')\u001b\\text\u001b]8;;\u001b\\",
  "\u001b]8;;data:text/html,<script>window.hit('osc8 data')</script>\u0007text\u001b]8;;\u0007",
  '\u001b]8;id="><img src=x onerror=window.hit(1)>;http://canary.invalid/\u0007text\u001b]8;;\u0007',
  "\u001b]1337;File=inline=1:PHN2ZyBvbmxvYWQ9aGl0KCk+\u0007\u001b]9;evil\u0007\u001b]777;notify;evil;evil\u0007",
  "\u001bPqevil\u001b\\\u001b_Ghit\u001b\\\u001b^hit\u001b\\\u001bXhit\u001b\\",
  "\u009d0;evil\u009c\u0090$qevil\u009c\u009f evil\u009c",
  "\u001b[?1000h\u001b[?1003h\u001b[?1006h\u001b[?1004h\u001b[?1000l\u001b[?1003l\u001b[?1004l",
  "\u001b[5i\u001b[4i\u001b[2;1t\u001b[3;0;0t\u001b[9;1t",
  "\u001b]4;0;url(http://canary.invalid/c)\u0007\u001b]11;expression(hit())\u0007\u001b]10;red;}body{display:none\u0007",
  "\u001bc\u001b[!p\u001b[?1049h\u001b[?1049l",
];
export const all = [...payloads, ...markdown];
