// The OpenAI Responses API: POST /v1/responses, as Codex uses it.

import {textOf} from './conversation.mjs';

export const responses = {
  ping: ': waiting\n\n',

  read(body) {
    const input = typeof body.input === 'string' ? [{role: 'user', content: body.input}] :
                                                   body.input ?? [];
    return {
      entries: input.flatMap(entriesOf),
      // Newer Codex groups tools in namespaces.
      tools: (body.tools ?? []).flatMap((tool) => tool.type === 'namespace' ?
          (tool.tools ?? []).map((inner) => inner.name) : [tool.name ?? tool.type]),
      session: body.prompt_cache_key,
      schema: body.text?.format?.schema,
      streamed: body.stream === true,
    };
  },

  failure({status, type, message}) {
    const code = status === 429 ? 'rate_limit_exceeded' : type;
    return {headers: {}, body: {error: {type, code, message, param: null}}};
  },

  plain(answer, meta) {
    const output = answer.blocks.map((block) => itemOf(block, meta).done(block));
    const size = meta.size(JSON.stringify(output));
    return {...finalResponse(answer, meta.id('resp_'), meta, size), output};
  },

  async stream(answer, meta, out) {
    const id = meta.id('resp_');
    let sequence = 0;
    let produced = 0;
    const send = (type, fields) => {
      out.send(type, {type, sequence_number: sequence, ...fields});
      sequence += 1;
    };
    send('response.created', {response: responseOf(id, meta, 'in_progress')});
    send('response.in_progress', {response: responseOf(id, meta, 'in_progress')});
    const output = [];
    for (const [index, block] of answer.blocks.entries()) {
      const item = itemOf(block, meta);
      const sendPart = (type, fields) => {
        send(type, {item_id: item.id, output_index: index, ...fields});
      };
      send('response.output_item.added', {output_index: index, item: item.added()});
      for await (const [type, fields] of item.parts(block, out)) {
        if (type.endsWith('.delta')) produced += 1;
        sendPart(type, fields);
      }
      if (block.cut) continue;  // Codex runs whatever is reported as done
      output.push(item.done(block));
      send('response.output_item.done', {output_index: index, item: output.at(-1)});
    }
    const final = {...finalResponse(answer, id, meta, produced), output};
    send(`response.${final.status}`, {response: final});
    out.end();
  },

  streamError(meta, out) {
    out.send('response.failed', {
      type: 'response.failed',
      response: {
        ...responseOf(meta.id('resp_'), meta, 'failed'),
        error: {code: 'server_error', message: 'Scripted mid-stream failure'},
      },
    });
    out.end();
  },
};

function entriesOf(item) {
  if (/_output$/.test(item.type ?? '')) return [{kind: 'result'}];
  if (/_call$/.test(item.type ?? '')) return [{kind: 'call'}];
  if (item.role === 'user') return [{kind: 'user', text: textOf(item.content)}];
  return item.role === 'assistant' ? [{kind: 'assistant'}] : [];
}

// Output items: what is announced, what streams, and how the finished item looks.

function itemOf(block, meta) {
  if (block.thinking) return reasoningItem(meta.id('rs_'));
  return block.tool ? toolItem(block.tool, meta) : messageItem(meta.id('msg_'));
}

function reasoningItem(id) {
  const full = (block) => `**Considering options**\n\n${block.thinking}`;
  const part = (text) => ({summary_index: 0, part: {type: 'summary_text', text}});
  return {
    id,
    added: () => ({id, type: 'reasoning', summary: [], content: [], encrypted_content: null}),
    async* parts(block, out) {
      yield ['response.reasoning_summary_part.added', part('')];
      for await (const delta of out.text({text: full(block)})) {
        yield ['response.reasoning_summary_text.delta', {summary_index: 0, delta}];
      }
      yield ['response.reasoning_summary_text.done', {summary_index: 0, text: full(block)}];
      yield ['response.reasoning_summary_part.done', part(full(block))];
    },
    done: (block) => ({
      id, type: 'reasoning', summary: [{type: 'summary_text', text: full(block)}], content: [],
      encrypted_content: 'c2NyaXB0ZWQ=',
    }),
  };
}

function messageItem(id) {
  const full = (block) => block.text + (block.then?.text ?? '');
  const part = (text) => ({content_index: 0, part: {type: 'output_text', text, annotations: []}});
  const base = {id, type: 'message', role: 'assistant'};
  return {
    id,
    added: () => ({...base, status: 'in_progress', content: []}),
    async* parts(block, out) {
      yield ['response.content_part.added', part('')];
      for await (const delta of out.text(block)) {
        yield ['response.output_text.delta', {content_index: 0, delta}];
      }
      yield ['response.output_text.done', {content_index: 0, text: full(block)}];
      yield ['response.content_part.done', part(full(block))];
    },
    done: (block) => ({...base, status: 'completed', content: [part(full(block)).part]}),
  };
}

function toolItem(tool, meta) {
  const free = tool.freeForm === true;
  const text = free ? String(tool.input) : JSON.stringify(tool.input);
  const event = free ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const field = free ? 'input' : 'arguments';
  const base = {
    id: meta.id(free ? 'ctc_' : 'fc_'), type: free ? 'custom_tool_call' : 'function_call',
    call_id: meta.id('call_'), name: tool.name,
  };
  return {
    id: base.id,
    added: () => ({...base, status: 'in_progress', [field]: ''}),
    async* parts(block, out) {
      for await (const delta of out.pieces(text, block.cut)) yield [`${event}.delta`, {delta}];
      if (!block.cut) yield [`${event}.done`, {[field]: text}];
    },
    done: () => ({...base, status: 'completed', [field]: text}),
  };
}

function responseOf(id, meta, status) {
  return {
    id, object: 'response', created_at: meta.nowSeconds(), status, model: meta.model, output: [],
    usage: null, error: null, incomplete_details: null,
  };
}

function finalResponse(answer, id, meta, outputTokens) {
  const cut = answer.stop === 'max_tokens';
  return {
    ...responseOf(id, meta, cut ? 'incomplete' : 'completed'),
    incomplete_details: cut ? {reason: 'max_output_tokens'} : null,
    usage: {
      input_tokens: meta.inputTokens, input_tokens_details: {cached_tokens: 0},
      output_tokens: outputTokens, output_tokens_details: {reasoning_tokens: 0},
      total_tokens: meta.inputTokens + outputTokens,
    },
  };
}
