package petrichor.jobs.formats;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Rows of texts and nulls, and their representation as separated text. */
final class RandomCsv {
    private static final String[] PIECES = {
        "a", "bc", " ", "é", "漢", "1", ",", "\"", "\n", "\r\n", "\",\"", "\"\"", "null", "\n\"", "x"
    };

    private final Random random;

    RandomCsv(Random random) {
        this.random = random;
    }

    List<List<@Nullable String>> rows(int count, int columns) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<@Nullable String> row = new ArrayList<>();
            for (int j = 0; j < columns; j++) {
                row.add(value());
            }
            rows.add(row);
        }
        return rows;
    }

    private @Nullable String value() {
        return switch (random.nextInt(6)) {
            case 0 -> null;
            case 1 -> "";
            case 2 -> Integer.toString(random.nextInt());
            default -> {
                StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(6); i >= 0; i--) {
                    text.append(PIECES[random.nextInt(PIECES.length)]);
                }
                yield text.toString();
            }
        };
    }

    /** As another program might write it: with unnecessary quotes, and either line terminator. */
    String text(List<List<@Nullable String>> rows, char separator, boolean lastLineEnd) {
        String lineEnd = random.nextBoolean() ? "\n" : "\r\n";
        StringBuilder text = new StringBuilder();
        for (List<@Nullable String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                text.append(i == 0 ? "" : separator).append(field(row.get(i), separator));
            }
            text.append(lineEnd);
        }
        if (!lastLineEnd && !text.isEmpty()) {
            text.setLength(text.length() - lineEnd.length());
        }
        return text.toString();
    }

    private String field(@Nullable String value, char separator) {
        if (value == null) {
            return "";
        }
        boolean must =
                value.isEmpty()
                        || value.indexOf(separator) >= 0
                        || value.indexOf('"') >= 0
                        || value.indexOf('\n') >= 0
                        || value.indexOf('\r') >= 0;
        return must || random.nextInt(4) == 0 ? '"' + value.replace("\"", "\"\"") + '"' : value;
    }

    List<Integer> permutation(int size) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        return order;
    }
}
