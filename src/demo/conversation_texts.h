/// What the demo agent says. Honest: it is a script, and says so.
#pragma once

#include <array>
#include <string_view>

#include "demo/narrator.h"

namespace lb::demo {

inline constexpr std::string_view kGreetBroken = R"(def greet(names):
    """Says hello to everyone."""
    for i in range(1, len(names)):
        print("Hello, " + names[i] + "!")


greet(["Ada", "Grace", "Linus"])
)";

inline constexpr std::string_view kGreetFixed = R"(def greet(names):
    """Says hello to everyone."""
    for name in names:
        print(f"Hello, {name}!")


greet(["Ada", "Grace", "Linus"])
)";

inline constexpr std::string_view kTourThought =
    "Somebody is here for the first time. I should show, not tell: read a file, run something, "
    "find the bug, and ask before I touch anything.";

inline constexpr std::string_view kTourIntro = R"(## Welcome 👋

I am the **demo agent**. I am a script inside Liminal Builder: no model, no account, no network. What you
see on this screen is exactly what a real agent such as Claude Code or Codex would give you.

There is a small program with a bug. Watch me find it:
)";

inline constexpr auto kTourFound =
    R"(Three names go in, two greetings come out: **Ada is missing**. The loop starts at `1`:

```python
for i in range(1, len(names)):
```

I would like to change one file. It lies in a scratch folder of mine (`{}`), not in your project, and the edit
is real. You decide:
)";

inline constexpr std::string_view kTourEnd = R"(### That was the tour

| You saw | Where it comes from |
|:--|:--|
| Thinking, folded away | the agent's own thoughts |
| A plan that ticks itself off | the agent's todo list |
| Tool cards with live output | commands and file reads |
| A question with buttons | the agent's permission request |
| A diff | the edit you allowed or refused |

Close the tab and come back: everything is still here. Things to try next:

- `/run` for a command that fails first
- `/markdown` for how answers are drawn
- press **Stop** in the middle of an answer
- open a second browser window and watch both move

When you are ready, start a session with an agent of your own.
)";

inline constexpr std::string_view kEditThought =
    "A small fix. Read first, look for the loop, then propose the change and wait for the answer.";

inline constexpr auto kEditIntro = R"(I will fix the greeting program in my scratch folder (`{}`).
)";

inline constexpr std::string_view kEditRefused =
    "Understood, I leave the file as it is. Nothing was changed.\n";

inline constexpr std::string_view kEditDone = R"(Done: the loop now goes over the names themselves.

```diff
-    for i in range(1, len(names)):
-        print("Hello, " + names[i] + "!")
+    for name in names:
+        print(f"Hello, {name}!")
```

Everyone is greeted. (I am a demo: the command above was played, the edit was real.)
)";

inline constexpr std::string_view kRunIntro =
    "I run the tests. (This is a demo: the output is played, no command is started.)\n";

inline constexpr std::array<std::string_view, 7> kTestsFailing = {
    "c++ -O2 -c greet.cpp\n",
    "c++ -o test_greet greet.o test_greet.o\n",
    "\x1b[1mRunning 4 tests\x1b[0m\n",
    "  \x1b[32mok\x1b[0m    greets nobody\n",
    "  \x1b[32mok\x1b[0m    greets one\n",
    "  \x1b[31mFAIL\x1b[0m  greets three: expected 3 lines, got 2\n",
    "\x1b[31m1 of 4 failed\x1b[0m\nmake: *** [Makefile:7: test] Error 1\n"};

inline constexpr std::string_view kRunThought =
    "One failure, and it says why: the first name is skipped. The index starts at one.";

inline constexpr std::string_view kRunBetween =
    "One test fails: the first of three names is skipped, because the loop starts at index 1. With "
    "that corrected, once more:\n";

inline constexpr std::array<std::string_view, 6> kTestsPassing = {
    "c++ -O2 -c greet.cpp\n",
    "\x1b[1mRunning 4 tests\x1b[0m\n",
    "  \x1b[32mok\x1b[0m    greets nobody\n  \x1b[32mok\x1b[0m    greets one\n",
    "  \x1b[32mok\x1b[0m    greets three\n",
    "  \x1b[32mok\x1b[0m    keeps the order\n",
    "\x1b[32mall 4 passed\x1b[0m\n"};

inline constexpr std::string_view kRunDone = "All four pass now.\n";

inline constexpr std::string_view kPlanIntro = "Here is how I would go about it:\n";
inline constexpr std::array<PlanEntry, 4> kPlanSteps = {{{"Read what is there"},
                                                         {"Write a test that fails"},
                                                         {"Make it pass with the smallest change"},
                                                         {"Tidy up and say what changed"}}};
inline constexpr std::string_view kPlanDone =
    "That is the plan, played through without touching anything. In the mode **Ask first** I would "
    "now propose the changes one by one.\n";

inline constexpr std::string_view kThought =
    "Let me take this apart. What is known? A person asked a question, and I have no model to "
    "answer "
    "it with. What can I honestly offer? I can show how thinking appears: it streams like text, "
    "folds "
    "away when the answer begins, and stays readable for who wants to check the reasoning.";

inline constexpr std::string_view kThoughtAnswer =
    "A real agent would answer your question here. What I can show is the part above: **thinking** "
    "is "
    "kept apart from the answer, and opens with one click.\n";

inline constexpr std::string_view kHello =
    "Hello! I am the demo agent: a script, no model behind me. Say `/tour` and I show you around, "
    "or "
    "`/help` for everything I know.\n";

inline constexpr std::string_view kHelp = R"(I am a scripted demo. I understand:

| Say | And I will |
|:--|:--|
| `/tour` | show everything once |
| `/edit` | fix a file, asking first |
| `/run` | play a command with live output |
| `/plan` | make a plan and tick it off |
| `/markdown` | show tables, code and lists |
| `/think` | think aloud |

For measurements and for tests of what can go wrong:

```
/load chunks=N bytes=B every_us=T    /slow seconds=S          /tools N
/crash   /exit N   /hang   /error    /ignore-cancel           /refuse
/garbage   /huge-line MB             /stderr-flood MB
/fork plain|setsid|double|term-ignoring
```
)";

inline constexpr auto kChat = R"(You wrote:

{}

I am a script and cannot answer that; a real agent in this place could. What I can do is show you around:
`/tour`, `/edit`, `/run`, `/plan`, `/markdown` or `/help`.
)";

inline constexpr auto kAttachments = "I see what you attached: {}.\n\n";

inline constexpr std::string_view kMarkdown = R"(# How answers look

Text can be **bold**, *slanted*, ~~struck~~ or `code`, with [links](https://agentclientprotocol.com) and
footnote-like asides.

## Code

```cpp
/// Greets everyone, in order.
void greet(const std::vector<std::string>& names) {
  for (const auto& name : names) std::println("Hello, {}!", name);
}
```

```python
def fib(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
```

```diff
- for i in range(1, len(names)):
+ for i in range(len(names)):
```

## A table

| Agent | Speaks | Needs an account |
|:--|:-:|--:|
| Claude Code | stream-json | yes |
| Codex | ACP | yes |
| Demo | ACP | **no** |

## Lists

1. First things first
   - with a detail
   - and another
2. Then the rest
   - [x] done
   - [ ] still open

> A quotation, for contrast.
> It may have several lines.

Last, some text in other scripts: 你好，世界 · Здравствуй, мир · こんにちは · 🎈

---

That is all.
)";

}  // namespace lb::demo
