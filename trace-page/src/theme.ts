// Light or dark: that of the system, until the user chooses.

import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";

const KEY = "inhouse-theme";

export function nextTheme(theme: Theme): Theme {
  return theme === "dark" ? "light" : "dark";
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [chosen, setChosen] = useState(stored);
  const [isDark, setDark] = useState(system.matches);
  useEffect(() => {
    const onChange = () => setDark(system.matches);
    system.addEventListener("change", onChange);
    return () => system.removeEventListener("change", onChange);
  }, []);
  const theme = chosen ?? (isDark ? "dark" : "light");
  document.documentElement.dataset["theme"] = theme;
  const choose = (theme: Theme) => {
    setChosen(theme);
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser may refuse storage for files; the choice is lost with the page.
    }
  };
  return [theme, choose];
}

function stored(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    return undefined;
  }
}
