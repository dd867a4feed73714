// The decision about a tool call that waits for a person.

import { useState } from "preact/hooks";

import { JsonTree } from "../../trace-page/src/json.tsx";
import { isObject } from "../../trace-page/src/recording.ts";
import { choicesOf, type Choice } from "./choices.ts";
import type { OpenQuestion } from "./snapshot.ts";
import type { Action, Answer } from "./source.ts";

interface Properties {
  open: OpenQuestion;
  onAction: (action: Action) => void;
}

export function QuestionForm({ open, onAction }: Properties) {
  const { question } = open;
  const [reason, setReason] = useState("");
  const [choices, setChoices] = useState<Record<string, string[]>>({});
  const asked = choicesOf(question);
  const answer = (answer: Answer) => onAction({ action: "answer", question: question.id, answer });
  const allow = () => {
    if (asked.length === 0 || !isObject(question.input)) return answer({ decision: "allow" });
    const answers = Object.fromEntries(Object.entries(choices).map(([text, chosen]) => [text, chosen.join(", ")]));
    answer({ decision: "allow_with", detail: { ...question.input, answers } });
  };
  const deny = () => reason.trim() !== "" && answer({ decision: "deny", detail: reason.trim() });
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        allow();
      }}
    >
      {asked.map((choice) => (
        <ChoiceField key={choice.text} choice={choice} chosen={choices[choice.text] ?? []} onChoose={(chosen) => setChoices({ ...choices, [choice.text]: chosen })} />
      ))}
      <div class="actions">
        <button type="submit" class="button primary">
          {asked.length === 0 ? "Allow" : "Answer"}
        </button>
        <input
          type="text"
          class="why"
          aria-label="Reason for a denial"
          placeholder="Reason, which the model reads"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // The browser would submit the form, and so allow the call.
            event.preventDefault();
            deny();
          }}
        />
        <button type="button" class="button" disabled={reason.trim() === ""} title={reason.trim() === "" ? "Write a reason first" : undefined} onClick={deny}>
          Deny
        </button>
      </div>
      {asked.length === 0 && <JsonTree value={question.input} />}
    </form>
  );
}

function ChoiceField({ choice: { text, several, options }, chosen, onChoose }: { choice: Choice; chosen: string[]; onChoose: (chosen: string[]) => void }) {
  const choose = (label: string) => {
    if (!several) return onChoose([label]);
    onChoose(options.map((option) => option.label).filter((other) => chosen.includes(other) !== (other === label)));
  };
  return (
    <fieldset>
      <legend>{text}</legend>
      {options.map(({ label, description }) => (
        <label key={label}>
          <input type={several ? "checkbox" : "radio"} name={text} required={!several} checked={chosen.includes(label)} onChange={() => choose(label)} />
          <span>
            {label} {description !== "" && <span class="muted">{description}</span>}
          </span>
        </label>
      ))}
      {options.length === 0 && <input type="text" aria-label={text} required value={chosen[0] ?? ""} onInput={(event) => onChoose([event.currentTarget.value])} />}
    </fieldset>
  );
}
