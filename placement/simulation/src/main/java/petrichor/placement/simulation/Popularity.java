package petrichor.placement.simulation;

import java.util.SplittableRandom;

/**
 * Draws from a Zipf distribution whose ranks are assigned at random, by inversion: a guide table
 * has a rank close to the wanted one (Chen and Asau, 1974). Immutable.
 */
final class Popularity {
    private final double[] until;
    private final int[] items;

    /** For each of equal parts of the distribution, the first rank that reaches into it. */
    private final int[] guide;

    Popularity(int count, double exponent, SplittableRandom random) {
        until = new double[count + 1];
        items = new int[count];
        for (int rank = 0; rank < count; rank++) {
            until[rank + 1] = until[rank] + Math.pow(rank + 1.0, -exponent);
            int other = random.nextInt(rank + 1);
            items[rank] = items[other];
            items[other] = rank;
        }
        guide = new int[count + 1];
        int rank = 0;
        for (int part = 0; part <= count; part++) {
            double start = until[count] * part / count;
            while (rank + 1 < count && until[rank + 1] <= start) {
                rank++;
            }
            guide[part] = rank;
        }
    }

    int draw(SplittableRandom random) {
        int count = items.length;
        double drawn = random.nextDouble();
        double wanted = drawn * until[count];
        int rank = guide[(int) (drawn * count)];
        while (rank > 0 && until[rank] > wanted) {
            rank--;
        }
        while (rank + 1 < count && until[rank + 1] <= wanted) {
            rank++;
        }
        return items[rank];
    }
}
