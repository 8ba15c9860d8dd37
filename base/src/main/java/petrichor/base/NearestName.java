package petrichor.base;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name closest to a misspelled one, for "did you mean". */
public final class NearestName {
    /** A name of up to this length may differ in one letter, one of twice the length in two. */
    private static final int LETTERS_PER_CHANGE = 3;

    private NearestName() {}

    /** The closest of {@code names}, regardless of its distance; empty only if there are none. */
    public static Optional<String> of(String misspelled, Collection<String> names) {
        return names.stream().min(Comparator.comparingInt(name -> distance(misspelled, name)));
    }

    /** The closest of {@code names}, if it differs in few enough letters to be the intended one. */
    public static Optional<String> closeTo(String misspelled, Collection<String> names) {
        int changesMax = Math.max(1, misspelled.length() / LETTERS_PER_CHANGE);
        return of(misspelled, names).filter(name -> distance(misspelled, name) <= changesMax);
    }

    /** The optimal string alignment distance: letters changed, added, omitted or swapped. */
    static int distance(String left, String right) {
        int[][] cost = new int[left.length() + 1][right.length() + 1];
        for (int i = 0; i <= left.length(); i++) {
            for (int j = 0; j <= right.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
                int least =
                        Math.min(
                                cost[i - 1][j - 1] + change,
                                Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                boolean swapped =
                        i > 1
                                && j > 1
                                && left.charAt(i - 1) == right.charAt(j - 2)
                                && left.charAt(i - 2) == right.charAt(j - 1);
                cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
            }
        }
        return cost[left.length()][right.length()];
    }
}
