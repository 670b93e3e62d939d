import { MainArea } from '../../app/main-area.tsx';

/** Replaces meshes on the page of a bundle, because the renderer would double the page's size. */
export function NoMeshes() {
  return (
    <MainArea className="cards" tabIndex={-1}>
      <p className="empty">Bundles do not include meshes. Open the experiment on the service to view them.</p>
    </MainArea>
  );
}
