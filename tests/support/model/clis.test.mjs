// The real CLIs against the scripted model, each with an empty home and no network but loopback:
//   eval "$(script/setup --print-clis)" && node --test tests/support/model/clis.test.mjs

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {
  Acp, Claude, makeWorkspace, prepareCodex, prepareGemini, prepareOpencode,
} from './drivers.mjs';
import {startModel} from './server.mjs';

const {
  LB_TEST_CLAUDE, LB_TEST_CODEX_ACP, LB_TEST_CODEX_ACP_JS, LB_TEST_GEMINI, LB_TEST_OPENCODE,
} = process.env;

const kClis = [
  {
    name: 'claude', bin: LB_TEST_CLAUDE,
    start: (options) => new Claude({bin: LB_TEST_CLAUDE, ...options}),
  },
  {
    name: 'codex-acp (native)', bin: LB_TEST_CODEX_ACP,
    start: (options) => new Acp(
        {bin: LB_TEST_CODEX_ACP, prepare: prepareCodex('gpt-5.4'), mode: 'auto', ...options}),
    refusalEndsTurn: true,  // its only way to say no is to abort the turn
  },
  {
    name: 'codex-acp (js)', bin: LB_TEST_CODEX_ACP_JS,
    start: (options) => new Acp({
      bin: process.execPath, args: [LB_TEST_CODEX_ACP_JS], prepare: prepareCodex('gpt-5.5'),
      mode: 'workspace-write', ...options}),
    refusalEndsTurn: true,
  },
];
// Installed by script/setup --all-agents only.
if (LB_TEST_GEMINI) {
  kClis.push({
    name: 'gemini', bin: LB_TEST_GEMINI,
    start: (options) => new Acp(
        {bin: LB_TEST_GEMINI, args: ['--acp'], prepare: prepareGemini, ...options}),
  });
}
if (LB_TEST_OPENCODE) {
  kClis.push({
    name: 'opencode', bin: LB_TEST_OPENCODE,
    start: (options) => new Acp(
        {bin: LB_TEST_OPENCODE, args: ['acp'], prepare: prepareOpencode, ...options}),
  });
}

let model;
before(async () => {
  model = await startModel();
});
after(() => model.close());

for (const cli of kClis) {
  test(`${cli.name}: text, a tool, then a permission given`, async () => {
    await inWorkspace(cli, 'allow', async (agent, project) => {
      const text = await agent.prompt('[[scenario:text]] [[words:40]] hello');
      assert.equal(text.failed, false);
      assert.equal(text.text.trim().split(/\s+/).length, 40);
      assert.equal(text.tools, 0);

      const tool = await agent.prompt('[[scenario:tool]] read it');
      assert.match(tool.text, /The file contains a greeting\./);
      assert.equal(tool.tools, 1);
      assert.equal(agent.asked, 0);

      const guarded = await agent.prompt('[[scenario:permission]] do it');
      assert.match(guarded.text, /The guarded command is settled\./);
      assert.equal(agent.asked, 1);
      assert.ok(fs.existsSync(path.join(project, 'made-by-permission')));
    });
  });

  test(`${cli.name}: a permission refused, and the next turn works`, async () => {
    await inWorkspace(cli, 'deny', async (agent, project) => {
      const refused = await agent.prompt('[[scenario:permission]] do it');
      assert.equal(agent.asked, 1);
      assert.equal(refused.failed, cli.refusalEndsTurn ?? false);
      assert.ok(!fs.existsSync(path.join(project, 'made-by-permission')));
      const next = await agent.prompt('[[scenario:echo]] still there');
      assert.match(next.text, /You said: still there/);
    });
  });
}

async function inWorkspace(cli, permission, body) {
  assert.ok(cli.bin, 'not installed: run script/setup, then eval "$(script/setup --print-clis)"');
  const {home, project, remove} = makeWorkspace();
  const agent = cli.start({home, project, permission, modelUrl: model.url});
  try {
    await agent.start();
    await body(agent, project);
  } finally {
    await agent.stop();
    remove();
  }
}
