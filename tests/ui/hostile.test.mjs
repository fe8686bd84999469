// Everything an agent writes is hostile: no script runs, no request leaves, and behind the sanitiser stands the browser itself.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { payloads } from "../../ui/dev/corpus.mjs";
import {
  closeBrowser,
  newSession,
  ready,
  send,
  turnEnds,
  until,
} from "./support.mjs";

after(closeBrowser);

test("the corpus as message, thought, tool name, arguments, output, path, diff, plan and title: nothing runs, nothing leaves", async () => {
  const { server, page } = await ready();
  try {
    await page.evaluate(() => {
      window.hits = [];
      window.hit = (name) => window.hits.push(name);
    });
    page.on("dialog", (dialog) => {
      page.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await newSession(page);
    await send(page, "hostile");
    await page
      .locator(".message.agent", { hasText: "the hostile end" })
      .waitFor();
    await turnEnds(page);
    await page.locator(".chat-scroll").hover();
    for (let step = 0; step < 12; step++) {
      for (const head of await page
        .locator(
          '.tool-head[aria-expanded="false"], .thinking-head[aria-expanded="false"]',
        )
        .all())
        await head.click({ timeout: 1000 }).catch(() => {});
      for (const link of await page.locator(".md a:not([href])").all())
        await link.click({ timeout: 500 }).catch(() => {});
      await page.mouse.wheel(0, -700);
    }
    await send(page, `echo ${payloads[1]} ${payloads[0]}`);
    // The reader had scrolled up, so only a jump down brings the end into the document.
    await until(
      () =>
        page.evaluate(() => {
          const chat = document.querySelector(".chat-scroll");
          chat.scrollTop = chat.scrollHeight;
          return !document.querySelector(".working-line, .pending-note");
        }),
      "the end of the echo",
      30_000,
    );
    await turnEnds(page);
    await page.getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.locator("dialog").getByLabel("Title").fill(payloads[1]);
    await page.keyboard.press("Enter");
    await page.locator(".tab-title", { hasText: "onerror" }).waitFor();
    await page.locator(".composer textarea").fill("");
    await page.keyboard.type("@img");
    await page
      .locator(".completion")
      .waitFor({ timeout: 3000 })
      .catch(() => {});
    assert.deepEqual(await page.evaluate(() => window.hits), []);
    assert.deepEqual(page.foreign, []);
    assert.deepEqual(page.problems, []);
    const bad = await page.evaluate(() =>
      [
        ...document.querySelectorAll(
          "#app script, #app iframe, #app object, #app embed, #app style, #app link, #app form:not(.composer):not(.questions), #app [onerror], #app [onload], #app [style*='url('], #app a[href^='javascript:'], #app a[href^='data:']",
        ),
      ].map((element) => element.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(bad, []);
    const links = await page.evaluate(
      () =>
        [...document.querySelectorAll(".md a[href]")].filter(
          (link) =>
            link.rel !== "noopener noreferrer" || link.target !== "_blank",
        ).length,
    );
    assert.equal(links, 0);
  } finally {
    await server.stop();
  }
});

test("with the sanitiser out of the way, Trusted Types and the CSP still block", async () => {
  const { server, page } = await ready();
  try {
    const result = await page.evaluate(async (corpus) => {
      window.hits = [];
      window.hit = (name) => window.hits.push(name);
      const blocked = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        blocked.push(event.effectiveDirective),
      );
      const box = document.createElement("div");
      document.body.append(box);
      let refused = 0;
      for (const payload of corpus) {
        try {
          box.innerHTML = payload;
        } catch {
          refused++;
        }
      }
      try {
        document.write("<script>window.hit('write')</script>");
      } catch {
        refused++;
      }
      // Later, outside of this call: what a debugger evaluates may itself evaluate.
      await new Promise((resolve) =>
        setTimeout(() => {
          try {
            new Function("window.hit('function')")();
          } catch {
            refused++;
          }
          resolve();
        }),
      );
      try {
        trustedTypes.createPolicy("evil", { createHTML: (html) => html });
      } catch {
        refused++;
      }
      const image = document.createElement("img");
      try {
        image.setAttribute("onerror", "window.hit('attribute')");
      } catch {
        refused++;
      }
      image.src = "http://canary.invalid/x.png";
      const styled = document.createElement("div");
      styled.setAttribute(
        "style",
        "background: url(http://canary.invalid/y.png)",
      );
      const link = document.createElement("a");
      link.href = "javascript:window.hit('link')";
      box.append(image, styled, link);
      link.click();
      const script = document.createElement("script");
      try {
        script.text = "window.hit('script element')";
      } catch {
        refused++;
      }
      box.append(script);
      await fetch("http://canary.invalid/fetch").catch(() => {
        refused++;
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      box.remove();
      return {
        refused,
        hits: window.hits,
        blocked: [...new Set(blocked)],
        count: corpus.length,
      };
    }, payloads);
    assert.deepEqual(result.hits, []);
    assert.ok(result.refused >= result.count + 4, JSON.stringify(result));
    for (const directive of ["img-src", "connect-src"])
      assert.ok(
        result.blocked.includes(directive),
        `${directive} should have blocked: ${result.blocked}`,
      );
  } finally {
    await server.stop();
  }
});
