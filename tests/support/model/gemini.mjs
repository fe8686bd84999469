// The Gemini API: POST /v1beta/models/<model>:streamGenerateContent and :generateContent.

import {workingDirectory} from './conversation.mjs';

const kStatusNames = {
  400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL',
};

export const gemini = {
  ping: ': waiting\n\n',

  /// `streamed` comes from the address, not from the body.
  read(body, streamed) {
    const contents = body.contents ?? [];
    const texts = (content) => (content?.parts ?? []).map((part) => part.text ?? '');
    const intro = [body.systemInstruction, ...contents.slice(0, 2)].flatMap(texts);
    const config = body.generationConfig ?? {};
    return {
      entries: contents.flatMap(entriesOf),
      tools: (body.tools ?? []).flatMap(
          (tool) => (tool.functionDeclarations ?? []).map((f) => f.name)),
      cwd: workingDirectory(intro.join('\n')),
      schema: config.responseJsonSchema ?? config.responseSchema,
      streamed,
    };
  },

  failure({status, message}) {
    const name = kStatusNames[status] ?? 'UNAVAILABLE';
    return {headers: {}, body: {error: {code: status, message, status: name}}};
  },

  plain(answer, meta) {
    const parts = answer.blocks.map((block) => {
      if (block.thinking) return {text: block.thinking, thought: true};
      if (block.tool) return callOf(block.tool, meta);
      return {text: block.text + (block.then?.text ?? '')};
    });
    return chunk(parts, meta, meta.size(JSON.stringify(parts)), finishReason(answer));
  },

  async stream(answer, meta, out) {
    let produced = 0;
    const send = (parts, finish) => {
      produced += 1;
      out.send('', chunk(parts, meta, produced, finish));
    };
    for (const block of answer.blocks) {
      if (block.thinking) {
        send([{text: `**Considering**\n${block.thinking}`, thought: true}]);
      } else if (block.tool) {
        send([callOf(block.tool, meta)]);
      } else {
        for await (const text of out.text(block)) send([{text}]);
      }
    }
    send([{text: ''}], finishReason(answer));
    out.end();
  },

  streamError(meta, out) {
    const message = 'Scripted mid-stream failure';
    out.send('', {error: {code: 503, message, status: 'UNAVAILABLE'}});
    out.end();
  },
};

function entriesOf({role, parts = []}) {
  return parts.map((part) => {
    if (part.functionResponse) return {kind: 'result'};
    if (part.functionCall) return {kind: 'call'};
    return role === 'user' ? {kind: 'user', text: part.text ?? ''} : {kind: 'assistant'};
  });
}

function callOf(tool, meta) {
  return {functionCall: {id: meta.id('call_'), name: tool.name, args: tool.input}};
}

function chunk(parts, meta, outputTokens, finish) {
  return {
    candidates: [
      {index: 0, content: {role: 'model', parts}, ...(finish && {finishReason: finish})}],
    usageMetadata: {
      promptTokenCount: meta.inputTokens, candidatesTokenCount: outputTokens,
      totalTokenCount: meta.inputTokens + outputTokens,
    },
    modelVersion: meta.model,
  };
}

function finishReason(answer) {
  if (answer.stop === 'max_tokens') return 'MAX_TOKENS';
  return answer.stop === 'refusal' ? 'SAFETY' : 'STOP';
}
