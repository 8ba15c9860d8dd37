package petrichor.placement.graph;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads edge lists as SNAP publishes them: a line per edge with two vertices, separated by white
 * space or a comma; lines that start with # are comments. Vertices are numbered in the order in
 * which they appear.
 */
public final class EdgeList {
    /** Edges that fit into arrays of a few hundred megabytes. */
    public static final int EDGES_MAX = 50_000_000;

    private static final Pattern SEPARATOR = Pattern.compile("[\\s,]+");

    private EdgeList() {}

    /** INVALID_ARGUMENT if a line is not an edge, or the file has more than {@link #EDGES_MAX}. */
    public static Graph read(Path file) {
        Map<String, Integer> numbers = new HashMap<>();
        int[] from = new int[1024];
        int[] to = new int[1024];
        int edges = 0;
        long number = 0;
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                String text = line.strip();
                if (text.isEmpty() || text.startsWith("#")) {
                    continue;
                }
                String[] parts = SEPARATOR.split(text, 3);
                if (parts.length != 2 || edges == EDGES_MAX) {
                    throw invalid(file, number, edges);
                }
                if (edges == from.length) {
                    from = Arrays.copyOf(from, 2 * edges);
                    to = Arrays.copyOf(to, 2 * edges);
                }
                from[edges] = numbers.computeIfAbsent(parts[0], _ -> numbers.size());
                to[edges++] = numbers.computeIfAbsent(parts[1], _ -> numbers.size());
            }
        } catch (IOException failed) {
            throw FileProblem.of("cannot read " + file, failed);
        }
        return Graph.of(numbers.size(), Arrays.copyOf(from, edges), Arrays.copyOf(to, edges));
    }

    private static PetrichorException invalid(Path file, long line, int edges) {
        return PetrichorException.invalid(
                "line {line} of {file} is not an edge of two vertices, or is beyond the {max} edges"
                        + " that are read; edges so far: {edges}",
                "line",
                line,
                "file",
                file,
                "max",
                EDGES_MAX,
                "edges",
                edges);
    }
}
