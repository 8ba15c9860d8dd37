package petrichor.bench.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import petrichor.bench.ResultTable;
import petrichor.charts.Svg;

/**
 * The results of all parts in a folder as one self-contained page, {@code apps.html}. Stateless.
 */
final class SeedPage {
    private static final String STYLE =
            """
            body { font: 15px/1.5 sans-serif; color: #222; max-width: 1240px; margin: 2em auto; padding: 0 1em; }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
            th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #e4e4e4; }
            details { margin: 1em 0; } svg { max-width: 100%; height: auto; }
            """;

    private SeedPage() {}

    static void write(Path folder) throws IOException {
        StringBuilder page = new StringBuilder();
        page.append(
                "<!doctype html>\n"
                        + "<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\""
                        + " content=\"width=device-width\"><title>Apps and their"
                        + " users</title><style>\n");
        page.append(STYLE).append("</style></head><body>\n<h1>Apps and their users</h1>\n<ul>\n");
        for (SeedLoad load : SeedLoad.values()) {
            page.append("<li>")
                    .append(load.displayName())
                    .append(": ")
                    .append(Svg.escaped(load.description()))
                    .append("\n");
        }
        page.append("</ul>\n");
        section(page, folder, "users", "Users of three apps");
        section(page, folder, "queries", "Users of queries");
        section(page, folder, "batches", "Batches of puts");
        Path prices = folder.resolve("apps-prices.csv");
        if (Files.exists(prices)) {
            page.append("<h2>List prices</h2>\n").append(ResultTable.read(prices).html());
        }
        Files.writeString(folder.resolve("apps.html"), page.append("</body></html>\n").toString());
    }

    private static void section(StringBuilder page, Path folder, String part, String title)
            throws IOException {
        Path drawing = folder.resolve("apps-" + part + ".svg");
        Path table = folder.resolve("apps-" + part + ".csv");
        if (!Files.exists(drawing) || !Files.exists(table)) {
            return;
        }
        page.append("<h2>").append(title).append("</h2>\n").append(Files.readString(drawing));
        Path costs = folder.resolve("apps-" + part + "-costs.csv");
        if (Files.exists(costs)) {
            page.append("<h3>Costs</h3>\n").append(ResultTable.read(costs).html());
        }
        page.append("<details><summary>All figures</summary>\n")
                .append(ResultTable.read(table).html())
                .append("</details>\n");
    }
}
