package petrichor.placement.simulation;

import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/** The timelines of friends that a sample of users reads: which authors' tweets they have. */
final class Timelines {
    private final int[] users;
    private final int[][] authors;

    Timelines(SocialData data, int count, long seed) {
        Reads reads = new Reads(data);
        SplittableRandom random = new SplittableRandom(seed);
        users = new int[count];
        authors = new int[count][];
        int[] tweets = new int[Reads.NEWEST];
        for (int k = 0; k < count; k++) {
            users[k] = random.nextInt(data.users());
            authors[k] = new int[reads.byFriends(users[k], tweets, 0)];
            for (int at = 0; at < authors[k].length; at++) {
                authors[k][at] = data.author(tweets[at]);
            }
        }
    }

    int count() {
        return users.length;
    }

    int user(int k) {
        return users[k];
    }

    /** Authors of the tweets, some of them several times. */
    int[] authors(int k) {
        return authors[k];
    }

    /** Different nodes of the user and of the authors, mean. */
    double nodes(IntUnaryOperator nodeOfUser, int nodes) {
        NodeSet contacted = new NodeSet(nodes);
        long sum = 0;
        for (int k = 0; k < users.length; k++) {
            contacted.clear();
            contacted.add(nodeOfUser.applyAsInt(users[k]));
            for (int author : authors[k]) {
                contacted.add(nodeOfUser.applyAsInt(author));
            }
            sum += contacted.size();
        }
        return (double) sum / Math.max(1, users.length);
    }
}
