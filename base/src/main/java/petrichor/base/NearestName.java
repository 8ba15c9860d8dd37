package petrichor.server;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Guesses what somebody meant who misspelled a name. */
final class NearestName {
    private NearestName() {}

    static Optional<String> of(String misspelled, Collection<String> names) {
        return names.stream().min(Comparator.comparingInt(name -> distance(misspelled, name)));
    }

    /** Levenshtein's: how many single letters must change. */
    static int distance(String left, String right) {
        int[] above = new int[right.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int[] row = new int[right.length() + 1];
            row[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(above[j - 1] + change, Math.min(above[j] + 1, row[j - 1] + 1));
            }
            above = row;
        }
        return above[right.length()];
    }
}
