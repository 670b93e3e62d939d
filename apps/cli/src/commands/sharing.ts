import { Option } from 'commander';
import { collect, daysOrNever } from '../flag-values.ts';
import type { Commands } from './commands.ts';

/** Adds verbs for links, and for copies that can be cited. */
export function addSharing(commands: Commands): void {
  const sharing = () => import('../verbs/share.ts');
  commands
    .verb('share', 'create a link to an experiment, or list its links', async () => (await sharing()).share, '<experiment>')
    .option('--name <name>', 'name of the link, shown only to the workspace')
    .option('--run <name>', 'show only this run (repeatable)', collect)
    .option('--tag <name>', 'show only this tag (repeatable)', collect)
    .option('--frozen', 'show a permanent copy of the current state')
    .option('--anonymous', 'hide the names of people, the workspace, files and hosts')
    .option('--logs', "also show the runs' output")
    .option('--embed <origin>', 'create an embed for frames on this site, like https://example.org (repeatable)', collect)
    .option('--expires <days>', 'days until the link expires, or never', daysOrNever)
    .option('--list', 'list active links')
    .option('--public', 'let anyone with the address read the experiment')
    .option('--private', 'make the experiment private again');
  commands.verb('unshare', 'revoke a link', async () => (await sharing()).unshare, '<link>');
  commands
    .verb('snapshot', 'create a permanent copy of an experiment', async () => (await sharing()).snapshot, '<experiment>')
    .option('--name <name>', 'name of the copy')
    .option('--run <name>', 'copy only this run (repeatable)', collect)
    .option('--tag <name>', 'copy only this tag (repeatable)', collect)
    .option('--cite', 'make the copy citable, with a page, BibTeX and a content digest (implied by the following options)')
    .option('--title <text>', 'title of the citation (default: the name of the copy)')
    .option('--author <name>', 'an author, such as "Doe, Jane" (repeatable)', collect)
    .option('--license <license>', 'SPDX identifier such as CC-BY-4.0, or text')
    .option('--date <date>', 'date of the citation, like 2026-11-27 (default: today)');
  commands
    .verb('cite', 'show how to cite a snapshot', async () => (await import('../verbs/verify-snapshot.ts')).cite, '<experiment-or-link>')
    .addOption(
      new Option('--format <format>', 'text; bibtex; datacite: DOI metadata').choices(['text', 'bibtex', 'datacite']).default('text'),
    );
}
