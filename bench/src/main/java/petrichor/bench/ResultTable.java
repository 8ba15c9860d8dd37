package petrichor.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The results of an experiment, one row for each run; stored as CSV, so that several experiments
 * that did not run together can share a page. Cells have no quotes and no line ends; commas become
 * semicolons in the file.
 *
 * @param header a word or two for each column
 * @param rows as long as the header
 */
public record ResultTable(List<String> header, List<List<String>> rows) {
    public ResultTable {
        header = List.copyOf(header);
        rows = rows.stream().map(List::copyOf).toList();
        for (List<String> row : rows) {
            if (row.size() != header.size()) {
                throw new IllegalArgumentException(row + " does not fit " + header);
            }
        }
    }

    public static ResultTable read(Path csv) throws IOException {
        List<List<String>> lines = new ArrayList<>();
        for (String line : Files.readAllLines(csv)) {
            lines.add(Arrays.asList(line.split(",", -1)));
        }
        return new ResultTable(lines.removeFirst(), lines);
    }

    public void write(Path csv) throws IOException {
        List<String> lines = new ArrayList<>(List.of(line(header)));
        rows.forEach(row -> lines.add(line(row)));
        Files.write(csv, lines);
    }

    private static String line(List<String> cells) {
        return String.join(",", cells.stream().map(cell -> cell.replace(',', ';')).toList());
    }

    public String html() {
        StringBuilder html = new StringBuilder("<table>\n");
        html.append(html("th", header));
        rows.forEach(row -> html.append(html("td", row)));
        return html.append("</table>\n").toString();
    }

    private static String html(String element, List<String> cells) {
        StringBuilder row = new StringBuilder("<tr>");
        for (String cell : cells) {
            String text = cell.replace("&", "&amp;").replace("<", "&lt;");
            row.append('<').append(element).append('>').append(text);
        }
        return row.append("</tr>\n").toString();
    }
}
