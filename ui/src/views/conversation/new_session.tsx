// What there is to say about a new session that is confined or gets a worktree: which it is, what comes along. It comes with
// the dialogs.
import { useLayoutEffect } from "preact/hooks";
import { branchName } from "../../branch_name";
import type { SetupScript } from "../../wire";
import { Choice, isSearched, type Option } from "../choice";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Revealed } from "./revealed";

export function WorktreeForm({ text }: { text: string }) {
  const app = useApp();
  const { worktree } = app.start;
  const { base, carry, branch } = worktree.said.value;
  const git = worktree.git.value;
  const name = branchName(text, git?.branches ?? []);
  useLayoutEffect(() => worktree.propose(name), [name]);
  const changes = worktree.carries.value;
  const setup = worktree.setup.value;
  const options: Option[] = [
    ...(git?.branches ?? []).filter((name) => name !== git?.branch).map((name) => ({ id: name, name })),
    ...(git?.tags ?? []).map((name) => ({ id: name, name: `${name} (tag)` })),
  ];
  const here = `${git?.branch ?? git?.head?.slice(0, 8) ?? "What is checked out"}${git ? " (checked out)" : ""}`;
  const choice = (
    <Choice
      label="From"
      options={options}
      value={base}
      none={here}
      onChange={(value) => (value === "" ? worktree.anyBase() : worktree.say({ base: value }))}
    />
  );
  return (
    <fieldset class="worktree-form">
      <legend class="visually-hidden">New worktree</legend>
      <div class="worktree-line">
        <Icon name="branch" size={14} />
        <label class="worktree-branch">
          <span>Branch</span>
          <input
            type="text"
            value={branch ?? name}
            placeholder="named after your message"
            spellcheck={false}
            autoComplete="off"
            autoCapitalize="off"
            onInput={(event) => worktree.say({ branch: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter") event.preventDefault(); // It names, and sends nothing.
            }}
          />
        </label>
        <span class="worktree-base">
          <span aria-hidden="true">from</span>
          {isSearched(options) ? (
            <span class="switch">{choice}</span>
          ) : (
            <label class="switch" title="From">
              {choice}
              <Icon name="down" size={12} />
            </label>
          )}
        </span>
      </div>
      {changes > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={carry ?? false}
            onChange={(event) => worktree.say({ carry: event.currentTarget.checked })}
          />
          <span>
            {changes === 1
              ? "Bring my 1 uncommitted change along"
              : `Bring my ${changes} uncommitted changes along`}
          </span>
        </label>
      )}
      {setup && <Setup setup={setup} />}
    </fieldset>
  );
}

/** Commands from the repository are run when somebody has read them. */
function Setup({ setup }: { setup: SetupScript }) {
  const { worktree } = useApp().start;
  if (setup.confirmed)
    return (
      <p class="muted worktree-note">
        The setup commands of <code>.worktreesetup</code> run in it: you agreed to them.
      </p>
    );
  return (
    <div class="worktree-setup">
      <p>
        This repository has setup commands for new worktrees (<code>.worktreesetup</code>). Read them before
        they run on your machine:
      </p>
      <pre tabIndex={0} aria-label="Setup commands">
        <Revealed text={setup.text} />
      </pre>
      <label class="check">
        <input
          type="checkbox"
          checked={worktree.said.value.setup === setup.id}
          onChange={(event) => worktree.say({ setup: event.currentTarget.checked ? setup.id : "" })}
        />
        <span>
          Run these setup commands
          <span class="muted">Otherwise they wait: you can run them later, from Workspaces.</span>
        </span>
      </label>
    </div>
  );
}

/** What confinement changes for whoever uses it. */
export function ConfinedNote() {
  const { start } = useApp();
  if (!start.confined.value) return null;
  return (
    <p class="confined-note">
      <Icon name="shield" size={14} /> Confined: no <code>sudo</code>, no containers, and no processes but its
      own. Your browsers, your terminals and the files of Liminal Builder are out of its sight. Everything
      else is as always.
    </p>
  );
}
