import { visibleText } from '#charts';
import type { ShareLinkJson } from '../api/types.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { ActiveLinks } from './active-links.tsx';

/** Path of the links to an experiment. */
export function linksPath(experimentId: string): string {
  return `/experiments/${experimentId}/share-links`;
}

/** The active links to the experiment, with buttons that revoke them. */
export function ShareLinks() {
  const { api, id } = useWorld();
  return <ActiveLinks api={api} path={linksPath(id)} pathOf={(link) => `/share-links/${link}`} shows={shows} />;
}

/** A short summary of what a link shows. */
function shows({ kind, frozen, runs, tags, anonymous, logs, origins }: ShareLinkJson): string {
  const parts = [
    runs === null ? 'all runs' : several(runs.length, 'run'),
    tags === null ? 'all tags' : several(tags.length, 'tag'),
    frozen ? 'frozen' : 'live',
    ...(anonymous ? ['anonymous'] : []),
    ...(logs ? ['with logs'] : []),
    ...(kind === 'embed' ? [`embedded on ${(origins ?? []).map(visibleText).join(', ')}`] : []),
  ];
  return parts.join(' · ');
}

function several(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
