package petrichor.apps.router.files;

/** The range of bytes that a request asks for (RFC 9110, section 14). */
sealed interface RequestedRange {
    /** The whole content: no range, one that cannot be understood, or several ranges. */
    record All() implements RequestedRange {}

    /**
     * @param first inclusive
     * @param last inclusive
     */
    record Part(long first, long last) implements RequestedRange {}

    /** No byte of the content is in the range. */
    record Unsatisfiable() implements RequestedRange {}

    /**
     * @param field value of the Range field; empty if absent
     * @param bytes of the content
     */
    static RequestedRange of(String field, long bytes) {
        String unit = "bytes=";
        if (!field.regionMatches(true, 0, unit, 0, unit.length()) || field.indexOf(',') >= 0) {
            return new All();
        }
        String range = field.substring(unit.length()).strip();
        int dash = range.indexOf('-');
        if (dash < 0) {
            return new All();
        }
        long first = number(range.substring(0, dash));
        long last = number(range.substring(dash + 1));
        boolean isSuffix = dash == 0;
        boolean isOpen = dash == range.length() - 1;
        if ((first < 0 && !isSuffix) || (last < 0 && !isOpen) || (isSuffix && isOpen)) {
            return new All();
        }
        if (isSuffix) {
            return last == 0 || bytes == 0
                    ? new Unsatisfiable()
                    : new Part(Math.max(0, bytes - last), bytes - 1);
        }
        if (!isOpen && last < first) {
            return new All();
        }
        return first >= bytes
                ? new Unsatisfiable()
                : new Part(first, isOpen ? bytes - 1 : Math.min(last, bytes - 1));
    }

    /** -1 if it is not a number; numbers beyond every size count as the greatest. */
    private static long number(String digits) {
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        return digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits);
    }
}
