// From a request to an answer: which scenario, which step, which pace.

import {locate} from './conversation.mjs';
import {parseMarkers} from './markers.mjs';
import {mayRecover, play} from './scenarios.mjs';
import {toolkitFor} from './toolkits.mjs';

// Without tools a request is either a bare API call or a CLI's side job (title, summary). Both may
// have these; a script of tools becomes a title.
const kNeedNoTools = new RegExp(
    '^(text|echo|markdown|unicode|empty|long|slow|gated|thinking|max_tokens|refusal|drop|hang.*|' +
    'error-.*)$');

/// Decides answers. Remembers one thing only: how often a [[times:N]] scenario has failed.
export class Director {
  #failures = new Map();
  #tps;

  constructor(tps) {
    this.#tps = tps;
  }

  /// {scenario, step, prompt, delayMs, tps, answer} for what an API module's read() returned.
  decide(request) {
    const {prompt, step} = locate(request.entries);
    const markers = parseMarkers(prompt);
    const answer = this.#answer(request, prompt, step, markers);
    return {
      scenario: markers.scenario, step, prompt, answer, as: markers.as, used: markers.used,
      delayMs: markers.delayMs ?? 0,
      tps: markers.tps ?? answer.tps ?? this.#tps,
    };
  }

  #answer(request, prompt, step, markers) {
    const name = markers.scenario;
    if (request.schema) return {blocks: [{text: JSON.stringify(sample(request.schema))}]};
    if (request.tools.length === 0 && !kNeedNoTools.test(name)) {
      return {blocks: [{text: 'Scripted title'}]};
    }
    if (markers.times !== undefined && mayRecover(name)) {
      const key = JSON.stringify([request.session, prompt]);
      const failed = this.#failures.get(key) ?? 0;
      if (failed >= markers.times) {
        return {blocks: [{text: `Recovered after ${failed} failures.`}]};
      }
      this.#failures.set(key, failed + 1);
    }
    const toolkit = toolkitFor(request.tools, request.cwd);
    return play(name, {prompt, step, toolkit, ...markers});
  }
}

/// The simplest value that a JSON schema allows.
export function sample(schema) {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return sample(variants[0]);
  const type = String([schema.type].flat()[0] ?? (schema.properties ? 'object' : 'string'));
  switch (type.toLowerCase()) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(
          ([key, value]) => [key, sample(value)]));
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'null':
      return null;
    default:
      return 'Scripted';
  }
}
