import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { plainView, visibleText } from '#charts';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson, TagJson } from '../api/types.ts';
import { Command } from '../app/command.tsx';
import { NavLink } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { useTheme } from '../app/theme.ts';
import { useMay } from '../app/use-may.ts';
import { firstTags } from '../experiment/card-rows.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import { type UploadWay, uploadWays } from './upload-ways.ts';

const tokenDays = 90;

interface StartProps {
  readonly api: Api;
  /**
   * The newest experiment with data. Null if there is none yet; absent if the page does not wait
   * for one.
   */
  readonly arrived?: ExperimentJson | null;
}

/** Three steps to a first chart: a token, a command that uses the token, and the chart itself. */
export function Start({ api, arrived }: StartProps) {
  const may = useMay();
  const { reader } = usePage();
  const [way, setWay] = useState<UploadWay>(uploadWays[0]!);
  const id = useId();
  const make = useMutation({
    mutationFn: () =>
      api.send<{ token: string }>('POST', '/tokens', { name: 'Getting started', scopes: ['read', 'upload'], expires_in_days: tokenDays }),
  });
  if (!may('experiment.upload')) return <p className="dim">You can view this workspace. Members can upload experiments to it.</p>;
  const token = make.data?.token ?? null;
  return (
    <ol className="start">
      <li>
        <h2>Create an access token</h2>
        {token === null ? (
          <>
            <p className="dim">
              Programs use it to upload to the workspace {visibleText(reader?.workspace ?? '')}. It expires in {tokenDays} days.
            </p>
            <button type="button" className="primary" onClick={(event) => event.detail <= 1 && make.mutate()} disabled={make.isPending}>
              Create token
            </button>
          </>
        ) : (
          <p role="status">
            Token created and added to the commands below. You won't see it again after you leave this page.{' '}
            <NavLink to="/tokens">Manage tokens</NavLink>
          </p>
        )}
        {make.error && (
          <p className="bad" role="alert">
            {problemText(make.error)}
          </p>
        )}
      </li>
      <li>
        <h2>Log or upload your data</h2>
        <fieldset className="segments">
          <legend>How to upload</legend>
          {uploadWays.map((one) => (
            <label key={one.name}>
              <input type="radio" name={id} checked={one === way} onChange={() => setWay(one)} />
              <span>{one.name}</span>
            </label>
          ))}
        </fieldset>
        <Way way={way} token={token} />
      </li>
      {arrived !== undefined && <li>{arrived === null ? <Waiting /> : <Arrived api={api} experiment={arrived} />}</li>}
    </ol>
  );
}

function Way({ way, token }: { readonly way: UploadWay; readonly token: string | null }) {
  const { server } = usePage();
  return way.steps({ server, token: token ?? 'YOUR_TOKEN' }).map(({ about, text }) => (
    <div key={about} className="start-step">
      <p className="dim">{about}</p>
      <Command text={text} />
    </div>
  ));
}

function Waiting() {
  return (
    <>
      <h2>See your first chart</h2>
      <p className="live waiting-first" role="status">
        Waiting for your first point…
      </p>
    </>
  );
}

/** Width and height of the picture; the style sheet sets its size on the page. */
const picture = { width: 640, height: 260 } as const;

function Arrived({ api, experiment }: { readonly api: Api; readonly experiment: ExperimentJson }) {
  const { base } = usePage();
  const theme = useTheme();
  const { id, points } = experiment;
  const { data: tags } = useQuery({
    queryKey: ['first-tags', id, points],
    queryFn: ({ signal }) => api.list<TagJson>(`/experiments/${id}/tags`, 'tags', signal),
    placeholderData: (before) => before,
  });
  const names = tags ? firstTags(tags, plainView) : [];
  const tag = (names.find((name) => /loss/i.test(name)) ?? names[0]) || null;
  const path = tag === null ? null : picturePath(tag);
  return (
    <>
      <h2>Your data is here</h2>
      {path !== null && (
        <NavLink to={`/e/${id}`}>
          <img
            className="first-picture"
            {...picture}
            src={`${base}/e/${id}/${path}.svg?width=${picture.width}&height=${picture.height}&theme=${theme}&step=${points}`}
            alt={`Chart of ${visibleText(tag!)}`}
          />
        </NavLink>
      )}
      <p role="status">
        <NavLink to={`/e/${id}`}>Open {titleOf(experiment)}</NavLink>
      </p>
    </>
  );
}

/** The path of a tag's picture. Null if browsers would change the path. */
function picturePath(tag: string): string | null {
  const parts = tag.split('/');
  if (parts.some((part) => part === '.' || part === '..') || !tag.isWellFormed()) return null;
  return parts.map(encodeURIComponent).join('/');
}
