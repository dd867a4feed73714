// The questions of the model to a person, which it asks with the tool `AskUserQuestion`.

import { isObject, type Json } from "../../trace-page/src/recording.ts";

export interface Choice {
  text: string;
  /** Whether several options may be chosen; their labels are then separated by commas. */
  several: boolean;
  options: { label: string; description: string }[];
}

/** Returns the questions in the input of `AskUserQuestion`, and none for any other tool. */
export function choicesOf({ tool, input }: { tool: string; input: Json }): Choice[] {
  if (tool !== "AskUserQuestion") return [];
  const questions = isObject(input) && Array.isArray(input["questions"]) ? input["questions"] : [];
  return questions.flatMap((question) => {
    if (!isObject(question) || typeof question["question"] !== "string") return [];
    const options = Array.isArray(question["options"]) ? question["options"] : [];
    return [{ text: question["question"], several: question["multiSelect"] === true, options: options.flatMap(optionOf) }];
  });
}

function optionOf(option: Json): Choice["options"] {
  if (!isObject(option) || typeof option["label"] !== "string") return [];
  const description = typeof option["description"] === "string" ? option["description"] : "";
  return [{ label: option["label"], description }];
}
