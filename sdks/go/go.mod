module countersign

go 1.21
