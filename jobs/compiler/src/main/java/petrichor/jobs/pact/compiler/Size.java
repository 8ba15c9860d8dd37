package petrichor.jobs.pact.compiler;

/** The estimated size of a data set. */
record Size(double records, double bytesPerRecord) {
    double bytes() {
        return records * bytesPerRecord;
    }

    Size withRecords(double number) {
        return new Size(number, bytesPerRecord);
    }
}
