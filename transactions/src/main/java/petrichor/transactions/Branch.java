package petrichor.transactions;

/**
 * A database that shares the rows of another one as of a version.
 *
 * @param name of the branch
 * @param parent the other database
 * @param version microseconds since 1970; later commits of the parent are not in the branch
 * @param number of the branch in the store
 */
public record Branch(String name, String parent, long version, int number) {}
