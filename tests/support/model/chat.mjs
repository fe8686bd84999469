// OpenAI chat completions: POST /v1/chat/completions, as OpenAI-compatible clients use it.

import {textOf, workingDirectory} from './conversation.mjs';

export const chat = {
  ping: ': waiting\n\n',

  read(body) {
    const messages = body.messages ?? [];
    const system = messages.filter((m) => m.role === 'system' || m.role === 'developer');
    return {
      entries: messages.flatMap(entriesOf),
      tools: (body.tools ?? []).map((tool) => tool.function?.name),
      cwd: workingDirectory(system.map((m) => textOf(m.content)).join('\n')),
      session: body.user,
      schema: body.response_format?.json_schema?.schema,
      streamed: body.stream === true,
    };
  },

  failure({type, message}) {
    return {headers: {}, body: {error: {type, message, code: null, param: null}}};
  },

  plain(answer, meta) {
    const calls = answer.blocks.filter((block) => block.tool).map(({tool}) => callOf(tool, meta));
    const text = answer.blocks.map((b) => (b.text ?? '') + (b.then?.text ?? '')).join('');
    return {
      ...envelope(meta, 'chat.completion'),
      choices: [{
        index: 0,
        finish_reason: finishReason(answer),
        message: {role: 'assistant', content: text, ...(calls.length > 0 && {tool_calls: calls})},
      }],
      usage: usage(meta, meta.size(text)),
    };
  },

  async stream(answer, meta, out) {
    const base = envelope(meta, 'chat.completion.chunk');
    let produced = 0;
    let calls = 0;
    const send = (delta, finish = null) => {
      out.send('', {...base, choices: [{index: 0, delta, finish_reason: finish}]});
      produced += 1;
    };
    send({role: 'assistant', content: ''});
    for (const block of answer.blocks) {
      if (block.thinking) {
        for await (const word of out.text({text: block.thinking})) send({reasoning_content: word});
      } else if (block.tool) {
        const index = calls;
        calls += 1;
        const call = callOf(block.tool, meta);
        const text = call.function.arguments;
        call.function.arguments = '';
        send({tool_calls: [{index, ...call}]});
        for await (const part of out.pieces(text, block.cut)) {
          send({tool_calls: [{index, function: {arguments: part}}]});
        }
      } else {
        for await (const word of out.text(block)) send({content: word});
      }
    }
    send({}, finishReason(answer));
    out.send('', {...base, choices: [], usage: usage(meta, produced)});
    out.raw('data: [DONE]\n\n');
    out.end();
  },

  streamError(meta, out) {
    out.send('', {error: {type: 'server_error', message: 'Scripted mid-stream failure'}});
    out.end();
  },
};

function entriesOf(message) {
  if (message.role === 'tool') return [{kind: 'result'}];
  if (message.role === 'user') return [{kind: 'user', text: textOf(message.content)}];
  if (message.role !== 'assistant') return [];
  return [{kind: message.tool_calls?.length > 0 ? 'call' : 'assistant'}];
}

function callOf(tool, meta) {
  return {
    id: meta.id('call_'), type: 'function',
    function: {name: tool.name, arguments: JSON.stringify(tool.input)},
  };
}

function envelope(meta, object) {
  return {id: meta.id('chatcmpl-'), object, created: meta.nowSeconds(), model: meta.model};
}

function usage(meta, outputTokens) {
  return {
    prompt_tokens: meta.inputTokens, completion_tokens: outputTokens,
    total_tokens: meta.inputTokens + outputTokens,
  };
}

function finishReason(answer) {
  if (answer.stop === 'max_tokens') return 'length';
  if (answer.stop === 'refusal') return 'content_filter';
  return answer.blocks.some((block) => block.tool) ? 'tool_calls' : 'stop';
}
