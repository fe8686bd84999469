// The page of settings: what the server keeps for every browser, and what only this one has.
import { useEffect, useState } from "preact/hooks";
import { logOut } from "../../actions/leave";
import { changeSettings } from "../../actions/settings";
import { run } from "../../commands/table";
import { keyName } from "../../format";
import type { Density, TextSize, Theme } from "../../state/types";
import type { InfoBody } from "../../wire";
import { useApp } from "../context";
import { Part } from "./setting";
import { NewSessions } from "./settings_sessions";

export function SettingsPage() {
  return (
    <main class="page settings" id="main">
      <div class="page-column">
        <h1>Settings</h1>
        <h2>For every browser</h2>
        <NewSessions />
        <Writing />
        <Access />
        <h2>For this browser</h2>
        <Looks />
        <Telling />
        <h2>About</h2>
        <About />
      </div>
    </main>
  );
}

/** One of a few, side by side. */
function Few<T extends string>({
  name,
  label,
  value,
  choices,
  set,
}: {
  name: string;
  label: string;
  value: T;
  choices: readonly (readonly [T, string])[];
  set: (value: T) => void;
}) {
  return (
    <div class="few" role="radiogroup" aria-label={label}>
      {choices.map(([id, words]) => (
        <label key={id}>
          <input type="radio" name={name} value={id} checked={value === id} onChange={() => set(id)} />
          <span>{words}</span>
        </label>
      ))}
    </div>
  );
}

function Writing() {
  const app = useApp();
  const enter = keyName("Enter");
  const ctrlEnter = `${keyName("Ctrl")}+${enter}`;
  return (
    <Part
      title="Send a message with"
      about={`With ${ctrlEnter}, ${enter} begins a new line. Shift+${enter} always does.`}
    >
      <Few
        name="send-key"
        label="Send a message with"
        value={app.settings.values.value.sendKey}
        choices={[
          ["enter", enter],
          ["ctrl-enter", ctrlEnter],
        ]}
        set={(sendKey) => void changeSettings(app, { sendKey })}
      />
    </Part>
  );
}

const themes: readonly [Theme, string][] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const sizes: readonly [TextSize, string][] = [
  ["small", "Small"],
  ["medium", "Medium"],
  ["large", "Large"],
  ["huge", "Very large"],
];
const densities: readonly [Density, string][] = [
  ["comfortable", "Comfortable"],
  ["compact", "Compact"],
];

function Looks() {
  const app = useApp();
  const { theme, textSize, density } = app.prefs;
  return (
    <>
      <Part title="Theme">
        <Few
          name="theme"
          label="Theme"
          value={theme.value}
          choices={themes}
          set={(value) => app.prefs.set("theme", value)}
        />
      </Part>
      <Part title="Text size">
        <Few
          name="text-size"
          label="Text size"
          value={textSize.value}
          choices={sizes}
          set={(value) => app.prefs.set("textSize", value)}
        />
      </Part>
      <Part title="Density" about="Compact shows more of the lists and of a conversation at once.">
        <Few
          name="density"
          label="Density"
          value={density.value}
          choices={densities}
          set={(value) => app.prefs.set("density", value)}
        />
      </Part>
    </>
  );
}

function Telling() {
  const app = useApp();
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
    <Part title="Tell me" about="When a turn ends or someone waits for me, and I am looking elsewhere.">
      <label class="check">
        <input
          type="checkbox"
          checked={app.attention.mayNotify()}
          onChange={(event) => toggleNotify(event.currentTarget)}
        />
        <span>
          With a notification
          {refused && (
            <span class="problem" role="alert">
              The browser does not allow notifications from this page. Allow them in its site settings, then
              tick this again.
            </span>
          )}
        </span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={app.prefs.sound.value}
          onChange={(event) => {
            app.prefs.set("sound", event.currentTarget.checked);
            if (event.currentTarget.checked) app.attention.ring("done");
          }}
        />
        <span>With a sound</span>
      </label>
    </Part>
  );
}

function Access() {
  const app = useApp();
  return (
    <Part title="Access" about="Who is logged in, and who answered what and from where.">
      <button type="button" class="button" onClick={() => run(app, "audit")}>
        Logins and audit trail
      </button>
    </Part>
  );
}

function About() {
  const app = useApp();
  const [info, setInfo] = useState<InfoBody | undefined>(undefined);
  useEffect(() => {
    app.api.call("GET /api/info", {}).then(setInfo, () => {});
  }, [app]);
  return (
    <Part
      title={`Liminal Builder ${info?.version ?? ""}`}
      about={
        <a href="/licenses.txt" target="_blank" rel="noreferrer">
          Licences of everything inside
        </a>
      }
    >
      <button type="button" class="button danger" onClick={() => logOut(app)}>
        Log this browser out
      </button>
    </Part>
  );
}
