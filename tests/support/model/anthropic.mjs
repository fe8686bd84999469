// The Anthropic Messages API: POST /v1/messages, streamed or plain, and count_tokens.

import {textOf, workingDirectory} from './conversation.mjs';

const kEntryOf = {tool_result: 'result', tool_use: 'call'};

export const anthropic = {
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',

  read(body) {
    const messages = body.messages ?? [];
    const intro = [textOf(body.system), ...messages.slice(0, 2).map((m) => textOf(m.content))];
    return {
      entries: messages.flatMap(entriesOf),
      tools: (body.tools ?? []).map((tool) => tool.name),
      cwd: workingDirectory(intro.join('\n')),
      session: body.metadata?.user_id,
      schema: (body.output_config?.format ?? body.output_format)?.schema,
      streamed: body.stream === true,
    };
  },

  failure({status, type, message}) {
    return {
      headers: status === 429 ? {'retry-after': '1'} : {},
      body: {type: 'error', error: {type, message}},
    };
  },

  plain(answer, meta) {
    const content = answer.blocks.map((block) => {
      if (block.thinking) return {type: 'thinking', thinking: block.thinking, signature: 'c2ln'};
      if (block.tool) return {type: 'tool_use', id: meta.id('toolu_'), ...nameAndInput(block.tool)};
      return {type: 'text', text: block.text + (block.then?.text ?? '')};
    });
    return {
      ...messageOf(meta, usage(meta, meta.size(JSON.stringify(content)))),
      content,
      stop_reason: stopReason(answer),
    };
  },

  async stream(answer, meta, out) {
    const send = (type, fields) => out.send(type, {type, ...fields});
    send('message_start', {message: messageOf(meta, usage(meta, 1))});
    send('ping', {});
    let produced = 0;
    for (const [index, block] of answer.blocks.entries()) {
      const delta = (type, fields) => {
        produced += 1;
        send('content_block_delta', {index, delta: {type, ...fields}});
      };
      send('content_block_start', {index, content_block: emptyBlock(block, meta)});
      if (block.thinking) {
        for await (const thinking of out.text({text: block.thinking})) {
          delta('thinking_delta', {thinking});
        }
        delta('signature_delta', {signature: Buffer.from(meta.id('sig_')).toString('base64')});
      } else if (block.tool) {
        delta('input_json_delta', {partial_json: ''});
        for await (const part of out.pieces(JSON.stringify(block.tool.input), block.cut)) {
          delta('input_json_delta', {partial_json: part});
        }
      } else {
        for await (const text of out.text(block)) delta('text_delta', {text});
      }
      send('content_block_stop', {index});
    }
    send('message_delta', {
      delta: {stop_reason: stopReason(answer), stop_sequence: null}, usage: usage(meta, produced)});
    send('message_stop', {});
    out.end();
  },

  streamError(meta, out) {
    out.send('error', {
      type: 'error',
      error: {type: 'overloaded_error', message: 'Overloaded (scripted, mid-stream)'},
    });
    out.end();
  },
};

function entriesOf({role, content}) {
  const blocks = typeof content === 'string' ? [{type: 'text', text: content}] : content ?? [];
  return blocks.flatMap((block) => {
    if (kEntryOf[block.type]) return [{kind: kEntryOf[block.type]}];
    if (block.type !== 'text') return [];
    return [role === 'user' ? {kind: 'user', text: block.text} : {kind: 'assistant'}];
  });
}

function emptyBlock(block, meta) {
  if (block.thinking) return {type: 'thinking', thinking: '', signature: ''};
  if (!block.tool) return {type: 'text', text: ''};
  return {type: 'tool_use', id: meta.id('toolu_'), name: block.tool.name, input: {}};
}

function nameAndInput({name, input}) {
  return {name, input};
}

function messageOf(meta, use) {
  return {
    id: meta.id('msg_'), type: 'message', role: 'assistant', model: meta.model, content: [],
    stop_reason: null, stop_sequence: null, usage: use,
  };
}

function usage(meta, outputTokens) {
  return {
    input_tokens: meta.inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
    output_tokens: outputTokens, service_tier: 'standard',
  };
}

function stopReason(answer) {
  return answer.stop ?? (answer.blocks.some((block) => block.tool) ? 'tool_use' : 'end_turn');
}
