package petrichor.bench.sql.tpch;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The tables of TPC-H in files, and the texts of its queries with the values of the specification's
 * validation. Stateless.
 */
final class TpchData {
    static final int QUERIES = 22;

    private TpchData() {}

    /** Definitions of the tables. */
    static List<String> schema() {
        return List.of(text("schema.sql").split(";", -1));
    }

    /**
     * @param number from 1
     */
    static String query(int number) {
        return text("q%02d.sql".formatted(number));
    }

    /** Names of the tables. */
    static List<String> tables() {
        return TpchTable.getTables().stream().map(TpchTable::getTableName).toList();
    }

    /** The file of a table: a row per line, values separated by {@code |}. */
    static Path file(Path folder, String table) {
        return folder.resolve(table + ".tbl");
    }

    /** Writes the files of all tables; about 1 GB at scale 1. */
    static void write(Path folder, double scale) throws IOException {
        Files.createDirectories(folder);
        for (TpchTable<?> table : TpchTable.getTables()) {
            try (BufferedWriter out = Files.newBufferedWriter(file(folder, table.getTableName()))) {
                for (TpchEntity entity : table.createGenerator(scale, 1, 1)) {
                    String line = entity.toLine();
                    out.write(line, 0, line.length() - (line.endsWith("|") ? 1 : 0));
                    out.write('\n');
                }
            }
        }
    }

    private static String text(String name) {
        try (InputStream in = TpchData.class.getResourceAsStream(name)) {
            return new String(
                    Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
