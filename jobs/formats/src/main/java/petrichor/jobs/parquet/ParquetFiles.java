package petrichor.jobs.parquet;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;

/** Adapts local files to the library. */
final class ParquetFiles {
    private ParquetFiles() {}

    /** Reads the file's footer. */
    static ParquetFileReader open(Path file) throws IOException {
        var options =
                ParquetReadOptions.builder(new PlainParquetConfiguration())
                        .withCodecFactory(new Codecs())
                        .build();
        try {
            return ParquetFileReader.open(new LocalInputFile(file), options);
        } catch (RuntimeException notParquet) {
            // The library's message for a file in another format.
            throw new IOException(notParquet.getMessage(), notParquet);
        }
    }
}
