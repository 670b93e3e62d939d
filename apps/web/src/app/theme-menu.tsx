import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import { usePage } from './page-context.ts';
import { chooseTheme, type ThemeChoice, useThemeChoice } from './theme.ts';

const names: readonly (readonly [ThemeChoice, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Selects light or dark for all pages in this browser. */
export function ThemeMenu() {
  const { base } = usePage();
  const chosen = useThemeChoice();
  return (
    <Menu label="Theme" icon={<Icon name="theme" />}>
      <div className="menu-form" role="radiogroup" aria-label="Theme">
        {names.map(([choice, name]) => (
          <label key={choice} className="choice">
            <input type="radio" name="theme" checked={chosen === choice} onChange={() => chooseTheme(choice, base)} />
            {name}
          </label>
        ))}
      </div>
    </Menu>
  );
}
