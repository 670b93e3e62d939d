import { formatCount, naturally, visibleText } from '#charts';
import { Command } from '../app/command.tsx';
import { usePage } from '../app/page-context.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { tabOf } from './tabs.ts';

/** Logged data that this page does not draw: names it, and says where it can be viewed. */
export default function OtherPanel() {
  const { tags } = useContents();
  const { api, id } = useWorld();
  const { server } = usePage();
  const others = tags.filter((tag) => tabOf(tag) === 'other').sort((a, b) => naturally(a.plugin, b.plugin) || naturally(a.tag, b.tag));
  const shown = others.slice(0, mostRows);
  return (
    <main className="cards" tabIndex={-1}>
      <div className="prose">
        <p>
          Stored as logged, but this page cannot draw it (meshes, embeddings, custom layouts, your own plugins). Stock TensorBoard on your
          machine can, with the data from here:
        </p>
        <Command text={`PLOTLINE_SERVER=${server} npm run -s plotline -- tensorboard ${id}`} />
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Tags">
        <table>
          <thead>
            <tr>
              <th>Tag</th>
              <th>Plugin</th>
              <th>Kind</th>
              <th className="number">Runs</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ tag, plugin, data_class: kind, runs }) => (
              <tr key={`${plugin}/${kind}/${tag}`}>
                <td className="title">{tag === '' ? <span className="dim">(no name)</span> : visibleText(tag)}</td>
                <td>{visibleText(plugin)}</td>
                <td>{kind === 'tensor' ? 'tensor' : 'blobs'}</td>
                <td className="number">{formatCount(runs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim other-data">
        {others.length > shown.length && `and ${formatCount(others.length - shown.length)} more. `}
        <a href={api.at(`/experiments/${id}/series`)}>All series as JSON</a>
      </p>
    </main>
  );
}

const mostRows = 500;
