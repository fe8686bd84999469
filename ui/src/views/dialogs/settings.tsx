// What the user chooses for this browser.
import { useState } from "preact/hooks";
import type { Theme } from "../../state/types";
import { useApp } from "../context";
import { Modal } from "../parts";

export function Settings({ close }: { close: () => void }) {
  const app = useApp();
  const themes: [Theme, string][] = [
    ["system", "As the system"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  const [refused, setRefused] = useState(false);
  const toggleNotify = (box: HTMLInputElement) => {
    setRefused(false);
    if (!box.checked) return app.prefs.set("notify", false);
    void app.attention.turnOn().then((allowed) => {
      box.checked = allowed;
      setRefused(!allowed);
    });
  };
  return (
    <Modal title="Settings" onClose={close}>
      <fieldset class="theme-choice">
        <legend>Theme</legend>
        {themes.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={app.prefs.theme.value === value}
              onChange={() => {
                app.prefs.set("theme", value);
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input
          type="checkbox"
          checked={app.attention.mayNotify()}
          onChange={(event) => toggleNotify(event.currentTarget)}
        />
        <span>
          Notify me when a turn ends or someone waits for me
          <span class="muted">Only while this page is not in front.</span>
          {refused && (
            <span class="problem" role="alert">
              The browser does not allow notifications from this page. Allow them in its site settings, then
              tick this again.
            </span>
          )}
        </span>
      </label>
      <footer class="modal-foot">
        <button
          type="button"
          class="button danger apart"
          onClick={() => {
            close();
            void app.login.leave();
          }}
        >
          Log this browser out
        </button>
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </footer>
    </Modal>
  );
}
