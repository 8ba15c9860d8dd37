package petrichor.services.search.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits text into words by App Engine's rules: whitespace and punctuation separate words, except
 * {@code _} and {@code &}; a period between digits belongs to the number, {@code +} at the end of a
 * word to the word (c++), {@code #} to the notes and languages a# to g#, j# and x#; single letters
 * with periods or hyphens between them are an acronym without them (I.B.M. is ibm). Ideographs and
 * kana are words of one character each. Words are folded: lower case, without accents.
 *
 * <p>Follows "Tokenizing string fields" in Google's documentation of documents and indexes, except
 * that letters separated by spaces remain words. Confined to one thread.
 */
public final class Words {
    /** Longer words are cut, in documents and in queries. */
    static final int WORD_CHARS_MAX = 200;

    private static final int ACRONYM_LETTERS_MAX = 21;
    private static final String SHARP = "abcdefgjx";

    private final String text;
    private final List<Word> words = new ArrayList<>();
    private int at;

    /** Whether the next word follows an ideograph without a separator. */
    private boolean joined;

    /**
     * A word.
     *
     * @param joined whether it continues the word before it: text without spaces between words
     */
    public record Word(String term, boolean joined) {}

    private Words(String folded) {
        this.text = folded;
    }

    public static List<Word> of(String text) {
        Words run = new Words(Folding.fold(text));
        run.split();
        return run.words;
    }

    private void split() {
        while (at < text.length()) {
            int next = text.codePointAt(at);
            if (unspaced(next)) {
                words.add(new Word(Character.toString(next), joined));
                joined = true;
                at += Character.charCount(next);
            } else if (inWord(next)) {
                if (!takeAcronym()) {
                    takeWord();
                }
                joined = false;
            } else {
                joined = false;
                at += Character.charCount(next);
            }
        }
    }

    private void takeWord() {
        int from = at;
        while (at < text.length()) {
            int next = text.codePointAt(at);
            if (unspaced(next) || !(inWord(next) || pointInNumber())) {
                break;
            }
            at += Character.charCount(next);
        }
        int end = at;
        int plus = at;
        while (plus < text.length() && text.charAt(plus) == '+') {
            plus++;
        }
        if (plus > at && (plus == text.length() || !inWord(text.codePointAt(plus)))) {
            end = plus;
        } else if (end - from == 1 && charAt(end) == '#' && SHARP.indexOf(charAt(from)) >= 0) {
            end++;
        }
        at = end;
        String word = withoutApostrophes(text.substring(from, end));
        if (!word.isEmpty()) {
            words.add(new Word(cut(word), false));
        }
    }

    static String cut(String word) {
        if (word.length() <= WORD_CHARS_MAX) {
            return word;
        }
        boolean split = Character.isHighSurrogate(word.charAt(WORD_CHARS_MAX - 1));
        return word.substring(0, split ? WORD_CHARS_MAX - 1 : WORD_CHARS_MAX);
    }

    private boolean pointInNumber() {
        return text.charAt(at) == '.'
                && at > 0
                && digit(text.charAt(at - 1))
                && digit(charAt(at + 1));
    }

    /** Two or more single letters with the same period or hyphen between them. */
    private boolean takeAcronym() {
        char separator = charAt(at + 1);
        if ((separator != '.' && separator != '-') || !letter(charAt(at))) {
            return false;
        }
        StringBuilder letters = new StringBuilder();
        int to = at;
        while (letter(charAt(to)) && letters.length() < ACRONYM_LETTERS_MAX) {
            letters.append(charAt(to));
            to++;
            if (charAt(to) != separator) {
                break;
            }
            if (!letter(charAt(to + 1))) {
                to++;
                break;
            }
            to++;
        }
        boolean ended = to >= text.length() || !inWord(text.codePointAt(to));
        boolean full = letters.length() == ACRONYM_LETTERS_MAX;
        if (letters.length() < 2 || !(ended || full)) {
            return false;
        }
        words.add(new Word(letters.toString(), false));
        at = to;
        return true;
    }

    private char charAt(int index) {
        return index < text.length() ? text.charAt(index) : 0;
    }

    private static boolean letter(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean unspaced(int c) {
        if (c < 0x2E80) {
            return false;
        }
        return Character.isIdeographic(c)
                || Character.UnicodeScript.of(c) == Character.UnicodeScript.HIRAGANA
                || Character.UnicodeScript.of(c) == Character.UnicodeScript.KATAKANA;
    }

    private static boolean inWord(int c) {
        if (c < 0x80) {
            return letter((char) c) || digit((char) c) || c == '_' || c == '&' || c == '\'';
        }
        return switch (Character.getType(c)) {
            case Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.CONTROL,
                    Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION ->
                    false;
            default -> true;
        };
    }

    private static String withoutApostrophes(String word) {
        int from = 0;
        int to = word.length();
        while (from < to && word.charAt(from) == '\'') {
            from++;
        }
        while (to > from && word.charAt(to - 1) == '\'') {
            to--;
        }
        return word.substring(from, to);
    }
}
