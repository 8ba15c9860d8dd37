package petrichor.cloud;

/**
 * The tag of every machine, by which it is found again.
 *
 * @param owner the lessee: unchanged by a crash, and different from all other lessees in the same
 *     account
 * @param purpose displayed in the cloud's console
 */
public record LeaseTag(String owner, String purpose) {
    private static final String FORM = "[A-Za-z0-9._/ -]{1,100}";

    public LeaseTag {
        if (!owner.matches(FORM) || !purpose.matches(FORM)) {
            throw new IllegalArgumentException("invalid tag: '" + owner + "', '" + purpose + "'");
        }
    }
}
