package petrichor.cloud;

/**
 * What is written on every machine, so that it is found again.
 *
 * @param owner who leases: the same before and after a crash, different from everybody else who
 *     uses the same account
 * @param purpose for people who look at the cloud's console
 */
public record LeaseTag(String owner, String purpose) {
    private static final String FORM = "[A-Za-z0-9._/ -]{1,100}";

    public LeaseTag {
        if (!owner.matches(FORM) || !purpose.matches(FORM)) {
            throw new IllegalArgumentException("invalid tag: '" + owner + "', '" + purpose + "'");
        }
    }
}
