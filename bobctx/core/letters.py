"""Where a forwarded or quoted letter begins in a text: header lines, separators, `Fwd:`, `On … wrote:`. Pure.

From there on it is somebody else's words (design, section 6, Authority). A quoted letter whose lines
all begin with `>` ends where they do, so its first line is left to whoever reads those marks.
"""

from __future__ import annotations

from typing import Final

import regex

_SUBJECT: Final = r"(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|тема|主题|件名|제목|الموضوع)[ ]?[:：]"
LETTER: Final = rf"""
    [ \t]*+
    (?:
        (?P<dashes>-{{2,}}[ \t]*+)? (?:begin[ ])? (?:forwarded[ ]message|original[ ]message|weitergeleitete[ ]nachricht
            |ursprüngliche[ ]nachricht|message[ ]transféré|message[ ]d['’]origine|mensaje[ ]reenviado|mensaje[ ]original
            |mensagem[ ]encaminhada|mensagem[ ]original|messaggio[ ]inoltrato|messaggio[ ]originale
            |doorgestuurd[ ]bericht|oorspronkelijk[ ]bericht|пересланное[ ]сообщение|исходное[ ]сообщение
            |转发的邮件|原始邮件|転送されたメッセージ|元のメッセージ|전달된[ ]메시지|원본[ ]메시지|رسالة[ ]محولة)
            (?(dashes)|[ \t:：]*+(?:\n|\Z))
      | (?:from|von|de|da|van|от|发件人|差出人|보낸[ ]사람|من)[ ]?[:：]
            (?: [^\n]*@
              | [^\n]*+ (?:\n[ \t]*+[^\n:：]{{1,24}}+[:：][^\n]*+){{0,4}}?
                \n[ \t]*+{_SUBJECT} )
      | (?:{_SUBJECT}[ ]*+)?
            (?:fwd?|wg|转发|轉寄|転送|전달|пересл)[ ]?[:：]
      | {_SUBJECT}[ ]*+(?:tr|rv|enc|i|doorst)[ ]?[:：]
      | (?: on[ ][^\n]{{4,140}}[ ]wrote
          | am[ ][^\n]{{4,140}}[ ]schrieb[^\n]{{0,80}}
          | le[ ][^\n]{{4,140}}[ ]a[ ]écrit
          | el[ ][^\n]{{4,140}}[ ]escribió
          | (?:em|no[ ]dia)[ ][^\n]{{4,140}}[ ]escreveu
          | il[ ][^\n]{{4,140}}[ ]ha[ ]scritto
          | op[ ][^\n]{{4,140}}[ ]schreef[^\n]{{0,80}}
          | [^\n]{{4,140}}[ ](?:написала?|пишет)(?:\(а\))?
          | [^\n]{{2,140}}(?:写道|寫道|書きました|のメッセージ|작성|썼습니다)
          | (?:في|بتاريخ)[ ][^\n]{{4,140}}[ ]كتبت?[^\n]{{0,80}}
        )[ ]?[:：][ \t]*+(?:\n|\Z)(?!\s*+>)
    )
"""
"""A pattern (`VERBOSE`, `IGNORECASE`) for the start of a line."""

_LETTER: Final = regex.compile(LETTER, regex.VERBOSE | regex.IGNORECASE)


def begins(text: str, line: int) -> bool:
    """Whether a letter begins with the line that starts at offset `line`."""
    return _LETTER.match(text, line) is not None
