export { CitationPageController } from './citation-page.controller.ts';
export { CitationsController } from './citations.controller.ts';
