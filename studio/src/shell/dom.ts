/** Elements in one call. Texts are only ever set as text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: { className?: string; text?: string; [attribute: string]: string | undefined } = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name === 'className') made.className = value;
    else if (name === 'text') made.textContent = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(label: string, run: () => void, className = '', text = label): HTMLButtonElement {
  const made = element('button', { className, text, type: 'button', 'aria-label': label, title: label });
  made.addEventListener('click', run);
  return made;
}
