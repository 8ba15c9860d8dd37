package petrichor.services.fetch;

import java.util.Locale;

/** A header field of a request or a response. */
public record HeaderField(String name, String value) {
    boolean isNamed(String other) {
        return name.equalsIgnoreCase(other);
    }

    String lowerName() {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * Whether name and value are those of RFC 9110: in particular, no line break that would begin
     * another field or another request.
     */
    boolean isWellFormed() {
        return !name.isEmpty()
                && name.chars().allMatch(HeaderField::isTokenCharacter)
                && value.chars().noneMatch(one -> one != '\t' && (one < ' ' || one == 0x7F))
                && value.chars().allMatch(one -> one <= 0xFF);
    }

    private static boolean isTokenCharacter(int one) {
        return (one >= '0' && one <= '9')
                || (one >= 'A' && one <= 'Z')
                || (one >= 'a' && one <= 'z')
                || "!#$%&'*+-.^_`|~".indexOf(one) >= 0;
    }
}
