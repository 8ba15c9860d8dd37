package petrichor.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;

/**
 * Reads App Engine's {@code index.yaml}. The file has one fixed shape (a list of indexes, each with
 * a kind, perhaps an ancestor, and a list of properties), so it is read line by line; what does not
 * fit the shape is refused with its line.
 *
 * <p>The file only adds: an index that is no longer in it stays, is maintained, and is shown by
 * {@code petrichor index list}. It may be one that was made automatically or that another version
 * of the application still uses, so Google, too, removes indexes only on request ({@code gcloud
 * datastore indexes cleanup}).
 */
final class IndexYaml {
    private static final Pattern LINE =
            Pattern.compile(
                    "\\s*(-)?\\s*(kind|ancestor|properties|name|direction|indexes):\\s*(.*)");
    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*$");

    private final Path file;
    private final List<IndexDefinition> definitions = new ArrayList<>();
    private String kind = "";
    private boolean ancestor;
    private final List<IndexDefinition.Column> columns = new ArrayList<>();

    private IndexYaml(Path file) {
        this.file = file;
    }

    static List<IndexDefinition> read(Path file) {
        IndexYaml yaml = new IndexYaml(file);
        try {
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                yaml.line(COMMENT.matcher(line).replaceAll("").stripTrailing(), number);
            }
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read indexes.file " + file, unreadable);
        }
        yaml.endIndex();
        return List.copyOf(yaml.definitions);
    }

    private void line(String line, int number) {
        if (line.isBlank() || line.equals("---")) {
            return;
        }
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw wrong(number, line);
        }
        String value = unquoted(matcher.group(3));
        switch (matcher.group(2)) {
            case "indexes", "properties" -> {
                if (!value.isEmpty() && !value.equals("[]")) {
                    throw wrong(number, line);
                }
            }
            case "kind" -> {
                endIndex();
                kind = value;
            }
            case "ancestor" -> {
                if (!value.matches("yes|true|no|false")) {
                    throw wrong(number, line);
                }
                ancestor = value.equals("yes") || value.equals("true");
            }
            case "name" -> columns.add(new IndexDefinition.Column(value, SortOrder.ASCENDING));
            case "direction" -> {
                if (columns.isEmpty() || !value.matches("asc|desc")) {
                    throw wrong(number, line);
                }
                if (value.equals("desc")) {
                    String property = columns.removeLast().property();
                    columns.add(new IndexDefinition.Column(property, SortOrder.DESCENDING));
                }
            }
            default -> throw wrong(number, line);
        }
    }

    private void endIndex() {
        if (!kind.isEmpty()) {
            definitions.add(new IndexDefinition(kind, ancestor, columns));
        }
        kind = "";
        ancestor = false;
        columns.clear();
    }

    private static String unquoted(String value) {
        boolean quoted =
                value.length() >= 2
                        && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                        && value.charAt(value.length() - 1) == value.charAt(0);
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    private PetrichorException wrong(int number, String line) {
        return PetrichorException.invalid(
                file
                        + ":"
                        + number
                        + " is not a valid line of index.yaml: \""
                        + line.strip()
                        + "\"; an index has kind, ancestor (yes or no) and properties with name and"
                        + " direction (asc or desc)");
    }
}
