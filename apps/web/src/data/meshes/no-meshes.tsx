import { MainArea } from '../../app/main-area.tsx';

/** In place of meshes, in the page of a bundle: the renderer would double its size. */
export function NoMeshes() {
  return (
    <MainArea className="cards" tabIndex={-1}>
      <p className="empty">Meshes are not part of a bundle. Open the experiment on the service to see them.</p>
    </MainArea>
  );
}
