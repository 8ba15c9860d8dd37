package petrichor.sql.entities;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * Keys as text, in the form of GQL's key literals: {@code KEY(Book, 'Emma', Page, 7)}. Parts of the
 * partition are shown where they differ from the one of the table: {@code KEY(NAMESPACE('n'), Book,
 * 7)}. Every key has exactly one text. Stateless.
 */
public final class KeyLiteral {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z\\d_]*");

    private KeyLiteral() {}

    public static String of(Key key, PartitionId home) {
        StringBuilder text = new StringBuilder("KEY(");
        PartitionId own = key.getPartitionId();
        String separator = "";
        if (!own.getProjectId().equals(home.getProjectId())) {
            separator = part(text, separator, "PROJECT", own.getProjectId());
        }
        if (!own.getDatabaseId().equals(home.getDatabaseId())) {
            separator = part(text, separator, "DATABASE", own.getDatabaseId());
        }
        if (!own.getNamespaceId().equals(home.getNamespaceId())) {
            separator = part(text, separator, "NAMESPACE", own.getNamespaceId());
        }
        for (Key.PathElement element : key.getPathList()) {
            text.append(separator);
            String kind = element.getKind();
            boolean plain = NAME.matcher(kind).matches();
            text.append(plain ? kind : '`' + kind.replace("`", "``") + '`').append(", ");
            if (element.hasName()) {
                quote(text, element.getName());
            } else {
                text.append(element.getId());
            }
            separator = ", ";
        }
        return text.append(')').toString();
    }

    private static String part(StringBuilder text, String separator, String name, String value) {
        text.append(separator).append(name).append('(');
        quote(text, value);
        text.append(')');
        return ", ";
    }

    private static void quote(StringBuilder text, String value) {
        text.append('\'').append(value.replace("'", "''")).append('\'');
    }

    /** INVALID_ARGUMENT if the text is not a complete key. */
    public static Key parse(String text, PartitionId home) {
        return new Reader(text).key(home);
    }

    /** Confined to one thread. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Key key(PartitionId home) {
            PartitionId.Builder partition = home.toBuilder();
            Key.Builder key = Key.newBuilder();
            expect("KEY");
            expect("(");
            do {
                String word = kind();
                if (peek('(')) {
                    expect("(");
                    String value = string();
                    expect(")");
                    switch (word) {
                        case "PROJECT" -> partition.setProjectId(value);
                        case "DATABASE" -> partition.setDatabaseId(value);
                        case "NAMESPACE" -> partition.setNamespaceId(value);
                        default -> throw refused();
                    }
                } else {
                    expect(",");
                    Key.PathElement.Builder element = key.addPathBuilder().setKind(word);
                    if (peek('\'')) {
                        element.setName(string());
                    } else {
                        element.setId(number());
                    }
                }
            } while (next(','));
            expect(")");
            skipSpaces();
            if (at < text.length() || key.getPathCount() == 0) {
                throw refused();
            }
            return key.setPartitionId(partition).build();
        }

        private void skipSpaces() {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
        }

        private boolean peek(char wanted) {
            skipSpaces();
            return at < text.length() && text.charAt(at) == wanted;
        }

        private boolean next(char wanted) {
            boolean found = peek(wanted);
            at += found ? 1 : 0;
            return found;
        }

        private void expect(String wanted) {
            skipSpaces();
            if (!text.regionMatches(true, at, wanted, 0, wanted.length())) {
                throw refused();
            }
            at += wanted.length();
        }

        private String kind() {
            if (peek('`')) {
                return quoted('`');
            }
            int from = at;
            while (at < text.length()
                    && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
                at++;
            }
            if (from == at) {
                throw refused();
            }
            return text.substring(from, at);
        }

        private String string() {
            if (!peek('\'')) {
                throw refused();
            }
            return quoted('\'');
        }

        private String quoted(char quote) {
            StringBuilder value = new StringBuilder();
            at++;
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c != quote) {
                    value.append(c);
                } else if (at < text.length() && text.charAt(at) == quote) {
                    value.append(quote);
                    at++;
                } else {
                    return value.toString();
                }
            }
            throw refused();
        }

        private long number() {
            skipSpaces();
            int from = at;
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                at++;
            }
            try {
                return Long.parseLong(text.substring(from, at));
            } catch (NumberFormatException e) {
                throw refused();
            }
        }

        private PetrichorException refused() {
            return PetrichorException.invalid(
                    "\"{key}\" is not a key; write it like KEY(Book, 'Emma', Page, 7).",
                    "key",
                    text.length() > 200 ? text.substring(0, 200) + "…" : text);
        }
    }
}
