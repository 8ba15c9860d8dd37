package petrichor.transactions;

/** What an explicit lock of a row excludes. */
public enum LockStrength {
    /** Others may lock the row as well, and not write it. */
    SHARED,

    /** Others may neither lock nor write the row. */
    EXCLUSIVE
}
