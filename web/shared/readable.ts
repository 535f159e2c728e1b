// Text that somebody else wrote, made readable: what would be invisible or turn the line around is spelled out, as the
// command line does it. What emoji and right-to-left words need stays.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u115f\u1160\u180e\u200b\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
// Letters that draw nothing and are used to hide words from people but not from models.
const TAGS = /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0000}-\u{e007f}]/gu;

// They choose the form of a Chinese character, and hide anywhere else.
const FORMS = /(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]/gu;

const spelled = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** The text with nothing hidden in it. */
export function readable(text: string): string {
  return text.replace(HIDDEN, spelled).replace(TAGS, spelled).replace(FORMS, spelled);
}
