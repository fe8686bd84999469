// The same few actions in the dialect of whichever agent asks: the tools a request offers tell
// which one it is. An action is a function that returns {name, input, freeForm?}.

/// The actions possible with the tools named `names`. `cwd` makes paths absolute where needed.
export function toolkitFor(names, cwd) {
  const has = (name) => names.includes(name);
  const path = (file) => (cwd ? `${cwd.replace(/\/$/, '')}/${file}` : file);
  if (has('Bash') || has('Read')) return claude(has, path);
  if (has('run_shell_command') || has('read_file')) return gemini(path);
  if (has('bash') || has('read')) return opencode(path);
  if (names.length > 0) return codex(has);
  return {};
}

const kPlan = [
  ['Read the code', 'completed'], ['Change it', 'in_progress'], ['Test it', 'pending'],
];

function claude(has, path) {
  const shell = (command) => (
      {name: 'Bash', input: {command, description: 'Run a scripted command'}});
  return {
    read: (file) => ({name: 'Read', input: {file_path: path(file)}}),
    write: (file, content) => ({name: 'Write', input: {file_path: path(file), content}}),
    edit: (file, from, to) => (
        {name: 'Edit', input: {file_path: path(file), old_string: from, new_string: to}}),
    shell,
    guarded: shell,
    plan: () => has('TodoWrite') ?
        {name: 'TodoWrite', input: {todos: kPlan.map(([content, status]) => (
            {content, status, activeForm: `Now: ${content}`}))}} :
        {name: 'TaskCreate', input: {
          subject: 'Change the code', description: 'Change it and test it',
          activeForm: 'Changing the code'}},
    ask: () => ({name: 'AskUserQuestion', input: {questions: [{
      question: 'Which colour?', header: 'Colour', multiSelect: false,
      options: [{label: 'Red', description: 'Warm'}, {label: 'Blue', description: 'Cold'}],
    }]}}),
    exitPlan: () => ({name: 'ExitPlanMode', input: {plan: '# Plan\n\n1. Do it\n2. Test it'}}),
    delegate: (prompt) => ({name: has('Agent') ? 'Agent' : 'Task', input: {
      description: 'Look around', prompt, subagent_type: 'general-purpose'}}),
  };
}

function codex(has) {
  const shell = (command, extra = {}) => {
    if (has('exec_command')) return {name: 'exec_command', input: {cmd: command, ...extra}};
    if (has('shell_command')) return {name: 'shell_command', input: {command, ...extra}};
    return {name: 'shell', input: {command: ['bash', '-lc', command], ...extra}};
  };
  const patch = (body) => {
    const text = `*** Begin Patch\n${body}\n*** End Patch\n`;
    if (has('apply_patch')) return {name: 'apply_patch', input: text, freeForm: true};
    return shell(`apply_patch <<'PATCH'\n${text}PATCH`);
  };
  return {
    read: (file) => shell(`cat ${file}`),
    write: (file, content) => patch(
        `*** Add File: ${file}\n${prefixed('+', content.replace(/\n$/, ''))}`),
    edit: (file, from, to) => patch(
        `*** Update File: ${file}\n@@\n${prefixed('-', from)}\n${prefixed('+', to)}`),
    shell: (command) => shell(command),
    guarded: (command) => shell(command, {
      sandbox_permissions: 'require_escalated',
      justification: 'May this scripted command run outside the sandbox?',
    }),
    ...(has('update_plan') && {plan: () => ({name: 'update_plan', input: {
      explanation: 'Three steps', plan: kPlan.map(([step, status]) => ({step, status}))}})}),
  };
}

function gemini(path) {
  const shell = (command) => (
      {name: 'run_shell_command', input: {command, description: 'Run a scripted command'}});
  return {
    read: (file) => ({name: 'read_file', input: {file_path: path(file)}}),
    write: (file, content) => ({name: 'write_file', input: {file_path: path(file), content}}),
    edit: (file, from, to) => ({name: 'replace', input: {
      file_path: path(file), old_string: from, new_string: to, instruction: 'Replace it'}}),
    shell,
    guarded: shell,
  };
}

function opencode(path) {
  const shell = (command) => (
      {name: 'bash', input: {command, description: 'Run a scripted command'}});
  return {
    read: (file) => ({name: 'read', input: {filePath: path(file)}}),
    write: (file, content) => ({name: 'write', input: {filePath: path(file), content}}),
    edit: (file, from, to) => (
        {name: 'edit', input: {filePath: path(file), oldString: from, newString: to}}),
    shell,
    guarded: shell,
    plan: () => ({name: 'todowrite', input: {todos: kPlan.map(([content, status], i) => (
        {id: String(i + 1), content, status, priority: 'high'}))}}),
  };
}

function prefixed(mark, text) {
  return text.split('\n').map((line) => mark + line).join('\n');
}
