package petrichor.services.search.text;

import java.text.Normalizer;
import java.util.Locale;

/** Folds strings so that equal means equal for a search. */
public final class Folding {
    private Folding() {}

    /** Lower case: atoms are compared in this form. */
    public static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Lower case, without accents, compatible characters made equal (NFKD). */
    public static String fold(String text) {
        String lower = lower(text);
        if (ascii(lower)) {
            return lower;
        }
        String decomposed = Normalizer.normalize(lower, Normalizer.Form.NFKD);
        StringBuilder folded = new StringBuilder(decomposed.length());
        decomposed
                .codePoints()
                .filter(c -> Character.getType(c) != Character.NON_SPACING_MARK)
                .forEach(folded::appendCodePoint);
        return folded.toString();
    }

    private static boolean ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
