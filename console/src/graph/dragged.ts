/** What is dragged from a palette into a graph has this type. */
export const DRAGGED = "application/x-sulla-step";
